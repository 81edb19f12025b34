package io.asyncflow.flowsvr;

import io.asyncflow.flowsvr.base.system.BadSettingException;
import io.asyncflow.flowsvr.base.system.OwnerOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Reads secrets from the files that {@code FLOW_..._FILE} names: child processes inherit the
 * environment, but secret files of Docker, Kubernetes and systemd are readable for the server
 * alone.
 */
@Order(Ordered.LOWEST_PRECEDENCE - 1) // before SettingsCheck, which also checks these secrets
class SecretFiles implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

  /** Who knows it can forge keys that no record of keys shows, so its file must be closed. */
  private static final String PEPPER = "FLOW_KEY_PEPPER";

  private static final List<String> SECRETS =
      List.of(
          "FLOW_MYSQL_PASSWORD",
          "FLOW_API_KEY",
          "FLOW_REDIS_URL",
          "FLOW_OIDC_CLIENT_SECRET",
          PEPPER);

  @Override
  public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
    ConfigurableEnvironment settings = event.getEnvironment();
    Map<String, Object> read = new HashMap<>();
    for (String secret : SECRETS) {
      String file = settings.getProperty(secret + "_FILE", "").strip();
      if (!file.isEmpty()) {
        if (!settings.getProperty(secret, "").isEmpty()) {
          throw new BadSettingException(
              secret + " and " + secret + "_FILE are both set; take one of them out.");
        }
        read.put(secret, contentOf(file, secret));
      }
    }
    if (!read.isEmpty()) {
      settings.getPropertySources().addFirst(new MapPropertySource("secretFiles", read));
    }
  }

  /** The content without its final line break, which most editors add. */
  private static String contentOf(String file, String secret) {
    String content;
    try {
      if (secret.equals(PEPPER) && OwnerOnly.isReadableByOthers(Path.of(file))) {
        throw new BadSettingException(
            secret + "_FILE is '" + file + "', which every user may read; close it: chmod o-r");
      }
      content = Files.readString(Path.of(file)).replaceFirst("[\r\n]+$", "");
    } catch (IOException | IllegalArgumentException e) {
      throw new BadSettingException(
          secret + "_FILE is '" + file + "', which cannot be read (" + e + ").");
    }
    if (content.isEmpty()) {
      throw new BadSettingException(secret + "_FILE is '" + file + "', which is empty.");
    }
    return content;
  }
}
