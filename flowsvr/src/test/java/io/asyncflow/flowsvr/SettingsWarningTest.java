package io.asyncflow.flowsvr;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.bootstrap.DefaultBootstrapContext;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;

@ExtendWith(OutputCaptureExtension.class)
class SettingsWarningTest {

  private static final String LOGIN = "logs in to MySQL on [far] as root or without a password";
  private static final String UNVERIFIED = "does not verify that it talks to MySQL on [far]";
  private static final String REDIS = "asks for no password";

  private final MockEnvironment settings =
      new MockEnvironment()
          .withProperty("spring.datasource.username", "asyncflow")
          .withProperty("spring.datasource.password", "pA55w0rd");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mysql://far/d",
        "jdbc:mysql://far/d?sslMode=REQUIRED",
        "jdbc:mysql://far/d?sslMode=VERIFY_CA",
        "jdbc:mysql://127.0.0.1,far/d",
        "jdbc:mysql://(host=far,sslMode=DISABLED)/d?sslMode=VERIFY_IDENTITY",
        "jdbc:mysql:loadbalance://localhost,far/d"
      })
  void databaseThatIsNotVerifiedIsSaid(String url, CapturedOutput output) {
    settings.setProperty("spring.datasource.url", url);
    check();
    assertThat(output).contains(UNVERIFIED).doesNotContain(LOGIN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mysql://127.0.0.1:3306/asyncflow",
        "jdbc:mysql://LOCALHOST/d",
        "jdbc:mysql://[::1]:3306/d",
        "jdbc:mysql:///d",
        "jdbc:mysql://far/d?sslMode=VERIFY_IDENTITY",
        "jdbc:mysql://far/d?SSLMODE=verify_identity",
        "jdbc:mysql://(host=far,sslMode=VERIFY_IDENTITY)/d"
      })
  void databaseOnThisHostOrVerifiedIsNotSaid(String url, CapturedOutput output) {
    settings.setProperty("spring.datasource.url", url);
    check();
    assertThat(output).doesNotContain("MySQL");
  }

  @Test
  void verificationMayBeASettingOfThePool(CapturedOutput output) {
    settings.setProperty("spring.datasource.url", "jdbc:mysql://far/d");
    settings.setProperty(
        "spring.datasource.hikari.data-source-properties.sslMode", "VERIFY_IDENTITY");
    check();
    assertThat(output).doesNotContain("MySQL");
  }

  @ParameterizedTest
  @CsvSource({"root, pA55w0rd", "asyncflow, ''", "root, ''"})
  void rootAndEmptyPasswordsAreSaidOfAnotherHost(
      String user, String password, CapturedOutput output) {
    settings.setProperty("spring.datasource.username", user);
    settings.setProperty("spring.datasource.password", password);
    settings.setProperty("spring.datasource.url", "jdbc:mysql://127.0.0.1/d");
    check();
    assertThat(output).doesNotContain("MySQL");

    settings.setProperty("spring.datasource.url", "jdbc:mysql://far/d?sslMode=VERIFY_IDENTITY");
    check();
    assertThat(output).contains(LOGIN).doesNotContain(UNVERIFIED, "pA55w0rd");
  }

  @ParameterizedTest
  @CsvSource({
    "redis://far:6379, true",
    "redis://127.0.0.1:6379, false",
    "redis://[::1]:6379, false",
    "redis://:pA55w0rd@far:6379, false",
    "rediss://far:6379, false"
  })
  void redisWithoutPasswordIsSaidOfAnotherHost(String url, boolean isSaid, CapturedOutput output) {
    settings.setProperty("flow.redis.url", url);
    check();
    assertThat(output.getAll().contains(REDIS)).isEqualTo(isSaid);
  }

  private void check() {
    new SettingsWarning()
        .onApplicationEvent(
            new ApplicationEnvironmentPreparedEvent(
                new DefaultBootstrapContext(), new SpringApplication(), new String[0], settings));
  }
}
