package io.asyncflow.flowsvr.store;

import io.asyncflow.flowsvr.store.StoreProperties.S3;
import java.net.URI;
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
    return s3.bucket().isBlank()
        ? new DirectoryContextStore(
            properties.directory(databaseUrl), properties.minFree().toBytes())
        : new S3ContextStore(client(s3), s3.bucket(), s3.prefix());
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
