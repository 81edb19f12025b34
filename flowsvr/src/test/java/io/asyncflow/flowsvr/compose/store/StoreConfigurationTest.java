package io.asyncflow.flowsvr.compose.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.asyncflow.flowsvr.base.system.BadSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

class StoreConfigurationTest {

  @Configuration
  @EnableConfigurationProperties(StoreProperties.class)
  static class Properties {}

  private final ApplicationContextRunner server =
      new ApplicationContextRunner()
          .withUserConfiguration(Properties.class, StoreConfiguration.class)
          .withPropertyValues(
              "spring.datasource.url=jdbc:mysql://me:secret@db.example:3306/asyncflow?useSSL=true");

  @Test
  void directoryOfTheDatabaseIsTheDefault() {
    server.run(
        context ->
            assertThat(context.getBean(ContextStore.class))
                .isInstanceOf(DirectoryContextStore.class)
                .asString()
                .endsWith(Path.of(".asyncflow", "store", "db.example_3306_asyncflow").toString()));
    server
        .withPropertyValues("flow.store.dir=target/elsewhere")
        .run(
            context ->
                assertThat(context.getBean(ContextStore.class))
                    .hasToString(Path.of("target/elsewhere").toAbsolutePath().toString()));
  }

  @Test
  void directoryThatIsNamedAndCannotBeMadeIsRefused(@TempDir Path home) throws IOException {
    Path file = Files.createFile(home.resolve("file"));
    server
        .withPropertyValues("flow.store.dir=" + file.resolve("store"))
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .isInstanceOf(BadSettingException.class)
                    .hasMessageStartingWith("FLOW_STORE_DIR names " + file.resolve("store")));
  }

  @Test
  void bucketThatIsNamedIsUsedInstead() {
    server
        .withPropertyValues("flow.store.s3.bucket=objects", "flow.store.s3.prefix=test/")
        .run(
            context ->
                assertThat(context.getBean(ContextStore.class)).hasToString("s3://objects/test/"));
  }

  /** The SDK loads both by name, and goes on to the role of the machine where they are missing. */
  @ParameterizedTest
  @ValueSource(strings = {"StsWebIdentity", "StsProfile"})
  void roleOfAServiceAccountAndOfAProfileCanBeTaken(String credentials) {
    assertThatCode(
            () ->
                Class.forName(
                    "software.amazon.awssdk.services.sts.internal."
                        + credentials
                        + "CredentialsProviderFactory"))
        .doesNotThrowAnyException();
  }
}
