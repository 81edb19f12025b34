package io.asyncflow.flowsvr;

import io.asyncflow.flowsvr.base.system.db.DatabaseUrl;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.redisson.misc.RedisURI;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Warns at the start of connections to a database or a Redis on another host that the network could
 * read or take over. The URLs are those that {@link SettingsCheck} accepted.
 */
@Order(Ordered.LOWEST_PRECEDENCE)
class SettingsWarning implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

  private static final Logger log = LoggerFactory.getLogger(SettingsWarning.class);

  private static final Pattern THIS_HOST =
      Pattern.compile(
          "|(.+\\.)?localhost|127(\\.[0-9]{1,3}){3}|\\[?(::1|0:0:0:0:0:0:0:1)]?",
          Pattern.CASE_INSENSITIVE);

  private static final String SSL_MODE = "sslMode";
  private static final String SAFE_MODE = "VERIFY_IDENTITY";

  @Override
  public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
    Environment settings = event.getEnvironment();
    DatabaseUrl.parse(settings.getProperty("spring.datasource.url", ""))
        .ifPresent(url -> warnOfDatabase(url, settings));
    String redis = settings.getProperty("flow.redis.url", "").strip();
    if (!redis.isEmpty()) {
      warnOfRedis(new RedisURI(redis));
    }
  }

  private static void warnOfDatabase(DatabaseUrl url, Environment settings) {
    String defaultMode =
        settings.getProperty("spring.datasource.hikari.data-source-properties." + SSL_MODE, "");
    Map<String, String> modes = url.optionOfEachHost(SSL_MODE, defaultMode);
    List<String> others = modes.keySet().stream().filter(SettingsWarning::isOther).toList();
    if (others.isEmpty()) {
      return;
    }
    String user = url.user().orElse(settings.getProperty("spring.datasource.username", ""));
    if (user.equals("root") || settings.getProperty("spring.datasource.password", "").isEmpty()) {
      log.warn(
          "this server logs in to MySQL on {} as root or without a password: give it a user of its"
              + " own, with FLOW_MYSQL_USER and FLOW_MYSQL_PASSWORD",
          others);
    }
    List<String> unverified =
        others.stream().filter(host -> !modes.get(host).equalsIgnoreCase(SAFE_MODE)).toList();
    if (!unverified.isEmpty()) {
      log.warn(
          "this server does not verify that it talks to MySQL on {}, so the network can read and"
              + " change what it sends: add {}={} to FLOW_MYSQL_URL",
          unverified,
          SSL_MODE,
          SAFE_MODE);
    }
  }

  private static void warnOfRedis(RedisURI redis) {
    if (isOther(redis.getHost()) && !redis.isSsl() && redis.getPassword() == null) {
      log.warn(
          "Redis on {} asks for no password and is reached without TLS: set one, or use"
              + " rediss:// in FLOW_REDIS_URL",
          redis.getHost());
    }
  }

  private static boolean isOther(String host) {
    return !THIS_HOST.matcher(host).matches();
  }
}
