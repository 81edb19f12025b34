package io.asyncflow.flowsvr.store;

import io.asyncflow.flowsvr.store.StoreProperties.S3;
import io.asyncflow.flowsvr.system.BadSettingException;
import io.asyncflow.flowsvr.system.OwnerOnly;
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

/** Which store it is: a bucket where one is named, and a directory otherwise. */
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

  /** Else the first large result would find out, and be repeated for ever. */
  private static void requireWritable(Path directory) {
    try {
      OwnerOnly.createDirectories(directory);
    } catch (IOException e) {
      throw new BadSettingException(
          "FLOW_STORE_DIR names " + directory + ", which is no directory and cannot be made one.");
    }
    if (!Files.isWritable(directory)) {
      throw new BadSettingException(
          "FLOW_STORE_DIR names " + directory + ", where flowsvr may not write.");
    }
  }

  /** Credentials are those of the AWS SDK's default chain: environment, files, the machine. */
  static S3Client client(S3 settings) {
    S3ClientBuilder client =
        S3Client.builder()
            .region(Region.of(settings.region()))
            // Others than Amazon may not know the checksums that newer clients add.
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
