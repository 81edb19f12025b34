package io.asyncflow.flowsvr;

import com.mysql.cj.conf.PropertyDefinition;
import com.mysql.cj.conf.PropertyDefinitions;
import com.mysql.cj.conf.PropertyKey;
import com.mysql.cj.conf.StringPropertyDefinition;
import io.asyncflow.flowsvr.hook.egress.HookAllow;
import io.asyncflow.flowsvr.system.BadSettingException;
import io.asyncflow.flowsvr.system.db.DatabaseUrl;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.redisson.misc.RedisURI;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;

/**
 * Refuses invalid settings before the server starts. Later checks would report them in terms of
 * beans and conversions.
 *
 * <p>Messages about a URL do not contain it, because it may contain a password.
 */
class SettingsCheck implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

  /**
   * Options of the driver whose value is a text, and that name no class, no file of this server but
   * certificates, and no other server. The texts of later versions are refused until they are here.
   */
  private static final Set<PropertyKey> HARMLESS_TEXTS =
      EnumSet.of(
          PropertyKey.USER,
          PropertyKey.HOST,
          PropertyKey.PORT,
          PropertyKey.PROTOCOL,
          PropertyKey.TYPE,
          PropertyKey.ADDRESS,
          PropertyKey.PRIORITY,
          PropertyKey.characterEncoding,
          PropertyKey.characterSetResults,
          PropertyKey.connectionAttributes,
          PropertyKey.connectionCollation,
          PropertyKey.connectionTimeZone,
          PropertyKey.disabledAuthenticationPlugins,
          PropertyKey.localSocketAddress,
          PropertyKey.passwordCharacterEncoding,
          PropertyKey.sessionVariables,
          PropertyKey.tlsCiphersuites,
          PropertyKey.tlsVersions,
          PropertyKey.clientCertificateKeyStoreType,
          PropertyKey.clientCertificateKeyStoreUrl,
          PropertyKey.trustCertificateKeyStoreType,
          PropertyKey.trustCertificateKeyStoreUrl);

  /** Switches that send files to the database, or put several statements into one, or into logs. */
  private static final Set<PropertyKey> HARMFUL_SWITCHES =
      EnumSet.of(
          PropertyKey.allowLoadLocalInfile,
          PropertyKey.allowMultiQueries,
          PropertyKey.allowUrlInLocalInfile,
          PropertyKey.dumpQueriesOnException);

  private static final String MAKE_ONE = "Make one with: openssl rand -hex 32";

  @Override
  public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
    Environment settings = event.getEnvironment();
    refuse(
        settings,
        "server.port",
        port -> isNumber(port, 0, 65_535),
        "FLOW_PORT is '%s' and must be a port from 1 to 65535.");
    refuse(
        settings,
        "flow.access.address",
        SettingsCheck::isAddress,
        "FLOW_ADDRESS is '%s', which is neither an address nor the name of one.");
    refuseBadMode(settings);
    refuse(
        settings,
        "flow.access.docs",
        word -> word.matches("true|false"),
        "FLOW_DOCS is '%s' and must be true or false.");
    refuse(
        settings,
        "flow.compat.legacy-paths",
        word -> word.matches("true|false"),
        "FLOW_LEGACY_PATHS is '%s' and must be true or false.");
    refuse(
        settings,
        "flow.compat.legacy-lease",
        SettingsCheck::isUpToADay,
        "FLOW_LEGACY_LEASE is '%s' and must be a time from 0s to 24h.");
    refuse(
        settings,
        "flow.compat.go-paths",
        word -> word.matches("true|false|cpp"),
        "FLOW_GO_PATHS is '%s' and must be true, false or cpp.");
    if (!"true".equals(settings.getProperty("flow.access.weak-key"))) {
      refuseWeak(settings, "flow.access.api-key", "FLOW_API_KEY", WeakKey::isWeak, MAKE_ONE);
      refuseWeak(
          settings, "flow.access.pepper", "FLOW_KEY_PEPPER", SettingsCheck::isWeakPepper, MAKE_ONE);
      refuseWeak(
          settings,
          "flow.oidc.client-secret",
          "FLOW_OIDC_CLIENT_SECRET",
          WeakKey::isWeak,
          "Have the issuer make another one");
    }
    refuse(
        settings,
        "spring.datasource.url",
        url -> url.matches("jdbc:mysql[^/]*://.+") && DatabaseUrl.parse(url).isPresent(),
        "FLOW_MYSQL_URL must be like jdbc:mysql://host:3306/asyncflow.");
    refuse(
        settings,
        "spring.datasource.url",
        SettingsCheck::isWithoutPassword,
        "FLOW_MYSQL_URL contains a password, and a URL gets into logs and lists of processes; take"
            + " it out and set FLOW_MYSQL_PASSWORD, or FLOW_MYSQL_PASSWORD_FILE.");
    refuse(
        settings,
        "spring.datasource.url",
        url -> refusedIn(url).isEmpty(),
        url ->
            "FLOW_MYSQL_URL sets "
                + String.join(", ", refusedIn(url))
                + ". A URL sets only what the driver knows and what neither names classes and files"
                + " nor logs statements; take that out.");
    refuse(
        settings,
        "spring.datasource.url",
        url -> !DatabaseUrl.parse(url).orElseThrow().options().contains("sessionvariables"),
        "FLOW_MYSQL_URL sets sessionVariables, in the place of those that the server's statements"
            + " need; take that out.");
    refuse(
        settings,
        "spring.datasource.hikari.maximum-pool-size",
        size -> isNumber(size, 1, 10_000),
        "FLOW_MYSQL_CONNECTIONS is '%s' and must be a number from 1 to 10000.");
    refuse(
        settings,
        "flow.redis.url",
        SettingsCheck::isRedis,
        "FLOW_REDIS_URL must be like redis://host:6379, or rediss://host:6379 for TLS.");
    refuse(
        settings,
        "flow.store.s3.endpoint",
        url -> url.matches("https?://[^/]+.*"),
        "FLOW_STORE_S3_ENDPOINT is '%s' and must be like https://host:9000.");
    refuse(
        settings,
        "flow.hooks.allow",
        SettingsCheck::isAllowList,
        "FLOW_HOOK_ALLOW is '%s' and must list hosts, like hooks.example.com or *.example.com, and"
            + " ranges of addresses, like 10.1.0.0/16, with commas.");
  }

  private static void refuseWeak(
      Environment settings, String name, String variable, Predicate<String> isWeak, String remedy) {
    refuse(
        settings,
        name,
        secret -> !isWeak.test(secret),
        variable
            + " would be guessed: it is shorter than "
            + WeakKey.LEAST_LENGTH
            + " characters, or a placeholder. "
            + remedy
            + " (for a trial, --flow.access.weak-key=true lets it pass).");
  }

  /** Longer leases would look endless. */
  private static boolean isUpToADay(String time) {
    try {
      Duration duration = DurationStyle.detectAndParse(time);
      return !duration.isNegative() && duration.compareTo(Duration.ofDays(1)) <= 0;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Of the two that may be in force, the second may be none. */
  private static boolean isWeakPepper(String setting) {
    return Stream.of(setting.split(","))
        .map(String::strip)
        .anyMatch(pepper -> !pepper.equals("none") && WeakKey.isWeak(pepper));
  }

  private static void refuseBadMode(Environment settings) {
    boolean hasKey = !settings.getProperty("flow.access.api-key", "").isBlank();
    refuse(
        settings,
        "flow.access.mode",
        mode -> mode.matches("(?i)local|key|keys"),
        "FLOW_ACCESS is '%s' and must be local, key or keys.");
    refuse(
        settings,
        "flow.access.mode",
        mode -> !(mode.equalsIgnoreCase("local") && hasKey),
        "FLOW_ACCESS is local, and there is a FLOW_API_KEY, for which nothing would ask; take one"
            + " of the two away.");
    refuse(
        settings,
        "flow.access.mode",
        mode -> !mode.equalsIgnoreCase("key") || hasKey,
        "FLOW_ACCESS is key, and there is no FLOW_API_KEY; make one with: openssl rand -hex 32");
  }

  private static void refuse(
      Environment settings, String name, Predicate<String> isGood, String sentence) {
    refuse(settings, name, isGood, value -> String.format(Locale.ROOT, sentence, value));
  }

  /** Refuses a bad value; an absent or empty setting is not checked. */
  private static void refuse(
      Environment settings,
      String name,
      Predicate<String> isGood,
      Function<String, String> sentence) {
    String value = settings.getProperty(name, "").strip();
    if (!value.isEmpty() && !isGood.test(value)) {
      throw new BadSettingException(sentence.apply(value));
    }
  }

  /** Also checks key stores, which have passwords, and the up to three passwords of a user. */
  private static boolean isWithoutPassword(String url) {
    DatabaseUrl read = DatabaseUrl.parse(url).orElseThrow();
    return !read.hasPassword()
        && read.options().stream().noneMatch(name -> name.matches(".*password[1-3]?"));
  }

  private static List<String> refusedIn(String url) {
    return DatabaseUrl.parse(url).orElseThrow().options().stream()
        .filter(name -> Stream.of(PropertyKey.values()).noneMatch(key -> isHarmless(key, name)))
        .sorted()
        .toList();
  }

  private static boolean isHarmless(PropertyKey option, String name) {
    boolean isNamed =
        name.equalsIgnoreCase(option.getKeyName()) || name.equalsIgnoreCase(option.getCcAlias());
    if (!isNamed || HARMFUL_SWITCHES.contains(option)) {
      return false;
    }
    PropertyDefinition<?> definition = PropertyDefinitions.getPropertyDefinition(option);
    return HARMLESS_TEXTS.contains(option)
        || definition != null
            && !(definition instanceof StringPropertyDefinition)
            && !definition.getCategory().equals(PropertyDefinitions.CATEGORY_DEBUGING_PROFILING);
  }

  private static boolean isNumber(String text, int min, int max) {
    try {
      int number = Integer.parseInt(text);
      return number >= min && number <= max;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static boolean isAddress(String name) {
    try {
      InetAddress.getByName(name);
      return true;
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static boolean isAllowList(String text) {
    try {
      HookAllow.parse(text);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static boolean isRedis(String url) {
    try {
      new RedisURI(url);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
