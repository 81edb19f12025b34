package io.asyncflow.flowsvr.compose.store;

import io.asyncflow.flowsvr.base.system.BadSettingException;
import io.asyncflow.flowsvr.base.system.OwnerOnly;
import io.asyncflow.flowsvr.compose.store.StoreProperties.S3;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** Selects the store: a bucket if one is configured, else a directory. */
@Configuration
class StoreConfiguration {

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration SILENCE = Duration.ofSeconds(30);

  @Bean
  ContextStore contextStore(
      StoreProperties properties, @Value("${spring.datasource.url}") String databaseUrl) {
    S3 s3 = properties.s3();
    if (!s3.bucket().isBlank()) {
      return new S3ContextStore(client(s3), s3.bucket(), s3.prefix());
    }
    Path directory = properties.directory(databaseUrl);
    if (!properties.dir().isBlank()) {
      requireWritable(directory);
    }
    return new DirectoryContextStore(directory, properties.minFree().toBytes());
  }

  /** Checks at start; otherwise the first large result would fail and be repeated for ever. */
  private static void requireWritable(Path directory) {
    try {
      OwnerOnly.createDirectories(directory);
    } catch (IOException e) {
      throw new BadSettingException(
          "FLOW_STORE_DIR names "
              + directory
              + ", which is not a directory and cannot be created.");
    }
    if (!Files.isWritable(directory)) {
      throw new BadSettingException(
          "FLOW_STORE_DIR names " + directory + ", which flowsvr cannot write to.");
    }
  }

  /** Uses the credentials of the AWS SDK's default chain: environment, files, instance profile. */
  static S3Client client(S3 settings) {
    S3ClientBuilder client =
        S3Client.builder()
            .region(Region.of(settings.region()))
            // S3-compatible stores may not support the checksums that newer clients add.
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .httpClient(
                UrlConnectionHttpClient.builder()
                    .connectionTimeout(CONNECT_TIMEOUT)
                    .socketTimeout(SILENCE)
                    .build());
    if (!settings.endpoint().isBlank()) {
      client.endpointOverride(URI.create(settings.endpoint())).forcePathStyle(true);
    }
    return client.build();
  }
}
