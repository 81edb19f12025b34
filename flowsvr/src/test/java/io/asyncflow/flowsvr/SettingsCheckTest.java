package io.asyncflow.flowsvr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mysql.cj.conf.PropertyKey;
import io.asyncflow.flowsvr.base.system.BadSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.bootstrap.DefaultBootstrapContext;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.mock.env.MockEnvironment;

class SettingsCheckTest {

  private final MockEnvironment settings = new MockEnvironment();

  @ParameterizedTest
  @CsvSource({
    "flow.access.api-key, FLOW_API_KEY",
    "flow.access.pepper, FLOW_KEY_PEPPER",
    "flow.oidc.client-secret, FLOW_OIDC_CLIENT_SECRET"
  })
  void secretThatAnybodyWouldTryIsRefusedUnlessItIsForATrial(String name, String variable) {
    for (String weak : List.of("S3CRET", "changemechangeme", "S3CRET,0f3c1a92e5b84d67")) {
      settings.setProperty(name, weak);
      if (weak.contains(",") && !name.endsWith("pepper")) {
        assertThatCode(this::check).doesNotThrowAnyException();
        continue;
      }
      assertThatThrownBy(this::check)
          .isInstanceOf(BadSettingException.class)
          .hasMessageStartingWith(variable + " would be guessed")
          .hasMessageNotContaining(weak);
    }
    settings.setProperty("flow.access.weak-key", "true");
    assertThatCode(this::check).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0f3c1a92e5b84d67", "0f3c1a92e5b84d67, d41d8cd98f00b2e9", "0f3c1a92e5b84d67,none"})
  void goodPeppersPass(String peppers) {
    settings.setProperty("flow.access.pepper", peppers);
    assertThatCode(this::check).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mysql://h/d?password=S3CRET",
        "jdbc:mysql://h/d?a=b&PassWord=S3CRET",
        "jdbc:mysql://h/d?pass%77ord=S3CRET",
        "jdbc:mysql://h/d? password =S3CRET",
        "jdbc:mysql://h/d?password1=S3CRET",
        "jdbc:mysql://h/d?password3=S3CRET",
        "jdbc:mysql://h/d?trustCertificateKeyStorePassword=S3CRET",
        "jdbc:mysql://h/d?clientCertificateKeyStorePassword=S3CRET",
        "jdbc:mysql://me:S3CRET@h/d",
        "jdbc:mysql://me:S3CRET@h1,h2/d",
        "jdbc:mysql://h1,me:S3CRET@h2/d",
        "jdbc:mysql://me:S3CRET@[h1:1,(host=h2)]/d",
        "jdbc:mysql:loadbalance://me:S3CRET@h1,h2/d",
        "jdbc:mysql:replication://h1,h2/d?password=S3CRET",
        "jdbc:mysql+srv://me:S3CRET@h/d",
        "jdbc:mysql://(host=h,user=me,password=S3CRET)/d",
        "jdbc:mysql://(host=h,user=me,PASSWORD=S3CRET)/d",
        "jdbc:mysql://(host=h,user=me,p%61ssword=S3CRET)/d",
        "jdbc:mysql://address=(host=h)(port=1)(password=S3CRET)/d"
      })
  void passwordInTheUrlIsRefusedInAnyForm(String url) {
    settings.setProperty("spring.datasource.url", url);

    assertThatThrownBy(this::check)
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining("FLOW_MYSQL_URL contains a password")
        .hasMessageContaining("FLOW_MYSQL_PASSWORD")
        .hasMessageNotContaining("S3CRET");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mysql://me:S3CRET@S3CRET@h/d", // Connector/J takes no @ in a password
        "jdbc:mysql://me:S3CRET/S3CRET@h/d",
        "jdbc:mysql://me:S3CRET?S3CRET@h/d",
        "jdbc:mysql://me:S3CRET#S3CRET@h/d",
        "jdbc:mysql://(host=h)(password=S3CRET)/d",
        "jdbc:mysql://h/d;password=S3CRET",
        "jdbc:mysql://h/d?a=%zz&password=S3CRET",
        "jdbc:mysql://h/d?a=1&amp;password=S3CRET",
        "jdbc:mysql://"
      })
  void urlThatMeansSomethingElseToTheDriverIsRefused(String url) {
    settings.setProperty("spring.datasource.url", url);

    assertThatThrownBy(this::check)
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining("FLOW_MYSQL_URL must be like jdbc:mysql://")
        .hasMessageNotContaining("S3CRET");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "allowLoadLocalInfile",
        "ALLOWLOADLOCALINFILE",
        "allow%4CoadLocalInfile",
        "allowLoadLocalInfileInPath",
        "allowUrlInLocalInfile",
        "autoDeserialize",
        "queryInterceptors",
        "socketFactory",
        "propertiesTransform",
        "allowMultiQueries",
        "profilerEventHandler",
        "logger",
        "authenticationPlugins",
        "serverRSAPublicKeyFile",
        "ociConfigFile",
        "ha.loadBalanceStrategy",
        "loadBalanceSQLExceptionSubclassFailover",
        "useConfigs",
        "socksProxyHost",
        "profileSQL",
        "dumpQueriesOnException",
        "unheardOf"
      })
  void optionThatReadsFilesOrRunsCodeIsRefused(String option) {
    for (String url :
        new String[] {
          "jdbc:mysql://h/d?useSSL=true&" + option + "=true",
          "jdbc:mysql://(host=h," + option + "=true)/d",
          "jdbc:mysql://address=(host=h)(" + option + "=true)/d"
        }) {
      settings.setProperty("spring.datasource.url", url);

      assertThatThrownBy(this::check)
          .isInstanceOf(BadSettingException.class)
          .hasMessageContaining("FLOW_MYSQL_URL sets ");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mysql://127.0.0.1:3306/asyncflow",
        "jdbc:mysql://127.0.0.1:3306/asyncflow?sslMode=VERIFY_IDENTITY&socketTimeout=5000",
        "jdbc:mysql://h/d?passwordCharacterEncoding=UTF-8&disconnectOnExpiredPasswords=true",
        "jdbc:mysql://one:3306,two:3306,three:3306/asyncflow?failOverReadOnly=false",
        "jdbc:mysql://me@h/d",
        "jdbc:mysql://h/d?user=me&serverTimezone=UTC&useCompression=true",
        "jdbc:mysql://h/d?trustCertificateKeyStoreUrl=file:ca.p12&tlsVersions=TLSv1.3",
        "jdbc:mysql://(host=h,port=3307,user=me)/d",
        "jdbc:mysql://address=(host=h)(port=3307)/d",
        "jdbc:mysql://[::1]:3306/d",
        "jdbc:mysql:loadbalance://h1,h2/d"
      })
  void otherUrlsAreTaken(String url) {
    settings.setProperty("spring.datasource.url", url);

    assertThatCode(this::check).doesNotThrowAnyException();
  }

  /** Of each option of the driver, also of those that a later version brings. */
  @ParameterizedTest
  @EnumSource(PropertyKey.class)
  void optionThatNamesAClassOrAFileIsRefused(PropertyKey option) {
    boolean isNaming =
        option
                .getKeyName()
                .matches(
                    ".*(Interceptors|Handler|Plugins|Provider|Factory|File|Profile|Transform|Checker"
                        + "|Strategy|Subclass.*|Configs|InPath|logger|Script)")
            && option != PropertyKey.disabledAuthenticationPlugins;
    settings.setProperty("spring.datasource.url", "jdbc:mysql://h/d?" + option.getKeyName() + "=1");

    if (isNaming) {
      assertThatThrownBy(this::check).isInstanceOf(BadSettingException.class);
    }
  }

  @Test
  void listOfAllowedHostsHasHostsAndRanges() {
    settings.setProperty("flow.hooks.allow", "hooks.example.com, *.example.org,10.1.0.0/16");
    assertThatCode(this::check).doesNotThrowAnyException();

    for (String bad : List.of("https://hooks.example.com", "10.1.2.3", "a,hooks.example.com:443")) {
      settings.setProperty("flow.hooks.allow", bad);
      assertThatThrownBy(this::check)
          .isInstanceOf(BadSettingException.class)
          .hasMessageStartingWith("FLOW_HOOK_ALLOW is '" + bad + "' and must list hosts");
    }
  }

  @Test
  void secretsAreReadFromFiles(@TempDir Path directory) throws IOException {
    settings.setProperty("FLOW_MYSQL_PASSWORD_FILE", file(directory, "password", " p w \n"));
    settings.setProperty("FLOW_API_KEY_FILE", file(directory, "key", "a-key\r\n"));

    check();

    assertThat(settings.getProperty("FLOW_MYSQL_PASSWORD")).isEqualTo(" p w ");
    assertThat(settings.getProperty("FLOW_API_KEY")).isEqualTo("a-key");
    assertThat(settings.getProperty("FLOW_REDIS_URL")).isNull();
  }

  @Test
  void secretFileThatCannotBeUsedIsOneSentence(@TempDir Path directory) throws IOException {
    settings.setProperty("FLOW_API_KEY_FILE", directory.resolve("absent").toString());
    assertThatThrownBy(this::check)
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining("FLOW_API_KEY_FILE")
        .hasMessageContaining("cannot be read");

    settings.setProperty("FLOW_API_KEY_FILE", file(directory, "empty", "\n"));
    assertThatThrownBy(this::check).hasMessageContaining("is empty");

    settings.setProperty("FLOW_API_KEY", "a key");
    assertThatThrownBy(this::check).hasMessageContaining("FLOW_API_KEY and FLOW_API_KEY_FILE");
  }

  @Test
  void modeAndKeyGoTogether() {
    settings.setProperty("flow.access.mode", "local");
    assertThatCode(this::check).doesNotThrowAnyException();

    settings.setProperty("flow.access.api-key", "72057594037927936-31415926535");
    assertThatThrownBy(this::check)
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining("FLOW_ACCESS is local, and there is a FLOW_API_KEY");

    settings.setProperty("flow.access.mode", "KEY");
    assertThatCode(this::check).doesNotThrowAnyException();
  }

  private static String file(Path directory, String name, String content) throws IOException {
    return Files.writeString(directory.resolve(name), content).toString();
  }

  /** As Spring does at the start. */
  private void check() {
    ApplicationEnvironmentPreparedEvent prepared =
        new ApplicationEnvironmentPreparedEvent(
            new DefaultBootstrapContext(), new SpringApplication(), new String[0], settings);
    new SecretFiles().onApplicationEvent(prepared);
    new SettingsCheck().onApplicationEvent(prepared);
  }
}
