package io.asyncflow.flowsvr;

import com.mysql.cj.conf.PropertyDefinition;
import com.mysql.cj.conf.PropertyDefinitions;
import com.mysql.cj.conf.PropertyKey;
import com.mysql.cj.conf.StringPropertyDefinition;
import io.asyncflow.flowsvr.base.system.BadSettingException;
import io.asyncflow.flowsvr.base.system.db.DatabaseUrl;
import io.asyncflow.flowsvr.compose.hook.egress.HookAllow;
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

  private static final List<Rule> RULES =
      List.of(
          new Rule(
              "server.port",
              isNumber(0, 65_535),
              "FLOW_PORT is '%s' and must be a port from 1 to 65535."),
          new Rule(
              "flow.access.address",
              SettingsCheck::isAddress,
              "FLOW_ADDRESS is '%s', which is neither an address nor the name of one."),
          new Rule(
              "flow.access.docs",
              word -> word.matches("true|false"),
              "FLOW_DOCS is '%s' and must be true or false."),
          new Rule(
              "flow.compat.legacy-paths",
              word -> word.matches("true|false"),
              "FLOW_LEGACY_PATHS is '%s' and must be true or false."),
          new Rule(
              "flow.compat.legacy-lease",
              parsed(DurationStyle::detectAndParse, SettingsCheck::isUpToADay),
              "FLOW_LEGACY_LEASE is '%s' and must be a time from 0s to 24h."),
          new Rule(
              "flow.compat.go-paths",
              word -> word.matches("true|false|cpp"),
              "FLOW_GO_PATHS is '%s' and must be true, false or cpp."),
          new Rule(
              "spring.datasource.url",
              url -> url.matches("jdbc:mysql[^/]*://.+") && DatabaseUrl.parse(url).isPresent(),
              "FLOW_MYSQL_URL must be like jdbc:mysql://host:3306/asyncflow."),
          new Rule(
              "spring.datasource.url",
              SettingsCheck::isWithoutPassword,
              "FLOW_MYSQL_URL contains a password, and a URL gets into logs and lists of processes;"
                  + " take it out and set FLOW_MYSQL_PASSWORD, or FLOW_MYSQL_PASSWORD_FILE."),
          new Rule(
              "spring.datasource.url",
              url -> refusedIn(url).isEmpty(),
              url ->
                  "FLOW_MYSQL_URL sets "
                      + String.join(", ", refusedIn(url))
                      + ". A URL sets only what the driver knows and what neither names classes and"
                      + " files nor logs statements; take that out."),
          new Rule(
              "spring.datasource.url",
              url -> !DatabaseUrl.parse(url).orElseThrow().options().contains("sessionvariables"),
              "FLOW_MYSQL_URL sets sessionVariables, in the place of those that the server's"
                  + " statements need; take that out."),
          new Rule(
              "spring.datasource.hikari.maximum-pool-size",
              isNumber(1, 10_000),
              "FLOW_MYSQL_CONNECTIONS is '%s' and must be a number from 1 to 10000."),
          new Rule(
              "flow.redis.url",
              parsed(RedisURI::new, url -> true),
              "FLOW_REDIS_URL must be like redis://host:6379, or rediss://host:6379 for TLS."),
          new Rule(
              "flow.store.s3.endpoint",
              url -> url.matches("https?://[^/]+.*"),
              "FLOW_STORE_S3_ENDPOINT is '%s' and must be like https://host:9000."),
          new Rule(
              "flow.hooks.allow",
              parsed(HookAllow::parse, list -> true),
              "FLOW_HOOK_ALLOW is '%s' and must list hosts, like hooks.example.com or"
                  + " *.example.com, and ranges of addresses, like 10.1.0.0/16, with commas."));

  /** Of secrets that somebody could guess. */
  private static final List<Rule> OF_SECRETS =
      List.of(
          notWeak("flow.access.api-key", "FLOW_API_KEY", WeakKey::isWeak, MAKE_ONE),
          notWeak("flow.access.pepper", "FLOW_KEY_PEPPER", SettingsCheck::isWeakPepper, MAKE_ONE),
          notWeak(
              "flow.oidc.client-secret",
              "FLOW_OIDC_CLIENT_SECRET",
              WeakKey::isWeak,
              "Have the issuer make another one"));

  /**
   * What a setting may be; an absent or empty one is not checked.
   *
   * @param sentence from a bad value
   */
  private record Rule(String setting, Predicate<String> isGood, Function<String, String> sentence) {

    Rule(String setting, Predicate<String> isGood, String sentence) {
      this(setting, isGood, value -> String.format(Locale.ROOT, sentence, value));
    }

    void check(Environment settings) {
      String value = settings.getProperty(setting, "").strip();
      if (!value.isEmpty() && !isGood.test(value)) {
        throw new BadSettingException(sentence.apply(value));
      }
    }
  }

  @Override
  public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
    Environment settings = event.getEnvironment();
    boolean hasKey = !settings.getProperty("flow.access.api-key", "").isBlank();
    boolean mayBeWeak = "true".equals(settings.getProperty("flow.access.weak-key"));
    Stream.of(RULES, ofMode(hasKey), mayBeWeak ? List.<Rule>of() : OF_SECRETS)
        .flatMap(List::stream)
        .forEach(rule -> rule.check(settings));
  }

  private static Rule notWeak(
      String setting, String variable, Predicate<String> isWeak, String remedy) {
    return new Rule(
        setting,
        isWeak.negate(),
        variable
            + " would be guessed: it is shorter than "
            + WeakKey.LEAST_LENGTH
            + " characters, or a placeholder. "
            + remedy
            + " (for a trial, --flow.access.weak-key=true lets it pass).");
  }

  /** Longer leases would look endless. */
  private static boolean isUpToADay(Duration time) {
    return !time.isNegative() && time.compareTo(Duration.ofDays(1)) <= 0;
  }

  /** Of the two that may be in force, the second may be none. */
  private static boolean isWeakPepper(String setting) {
    return Stream.of(setting.split(","))
        .map(String::strip)
        .anyMatch(pepper -> !pepper.equals("none") && WeakKey.isWeak(pepper));
  }

  private static List<Rule> ofMode(boolean hasKey) {
    return List.of(
        new Rule(
            "flow.access.mode",
            mode -> mode.matches("(?i)local|key|keys"),
            "FLOW_ACCESS is '%s' and must be local, key or keys."),
        new Rule(
            "flow.access.mode",
            mode -> !(mode.equalsIgnoreCase("local") && hasKey),
            "FLOW_ACCESS is local, and there is a FLOW_API_KEY, for which nothing would ask; take"
                + " one of the two away."),
        new Rule(
            "flow.access.mode",
            mode -> !mode.equalsIgnoreCase("key") || hasKey,
            "FLOW_ACCESS is key, and there is no FLOW_API_KEY; make one with: openssl rand -hex"
                + " 32"));
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

  private static Predicate<String> isNumber(int min, int max) {
    return SettingsCheck.<Integer>parsed(
        Integer::valueOf, number -> number >= min && number <= max);
  }

  /** Whether the parser takes the text, and what it makes of it is good. */
  private static <T> Predicate<String> parsed(Function<String, T> parser, Predicate<T> isGood) {
    return text -> {
      try {
        return isGood.test(parser.apply(text));
      } catch (IllegalArgumentException e) {
        return false;
      }
    };
  }

  private static boolean isAddress(String name) {
    try {
      InetAddress.getByName(name);
      return true;
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
