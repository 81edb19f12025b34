package io.asyncflow.worker.autoconfigure;

import java.util.Map;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.core.env.Environment;

/**
 * What a worker connects to: its properties, and the variables of the environment that are taken
 * where one is not set.
 */
record WorkerConnection(String url, String apiKey, String redisUrl) {

  private static final Map<String, String> VARIABLES =
      Map.of("url", "FLOW_URL", "apiKey", "FLOW_API_KEY", "redisUrl", "FLOW_REDIS_URL");

  WorkerConnection(WorkerProperties properties, Environment environment) {
    this(
        or(properties.getUrl(), environment, "url"),
        or(properties.getApiKey(), environment, "apiKey"),
        or(properties.getRedisUrl(), environment, "redisUrl"));
  }

  private static String or(String property, Environment environment, String setting) {
    String value = isSet(property) ? property : environment.getProperty(VARIABLES.get(setting));
    return isSet(value) ? value : null;
  }

  /** The name by which the user knows a setting of the worker: a variable, or a property. */
  static String nameOf(String setting, Environment environment) {
    String property = "asyncflow.worker." + DataObjectPropertyName.toDashedForm(setting);
    boolean fromVariable =
        VARIABLES.containsKey(setting) && !isSet(environment.getProperty(property));
    return fromVariable ? VARIABLES.get(setting) : property;
  }

  private static boolean isSet(String value) {
    return value != null && !value.isBlank();
  }

  /** Without the secrets. */
  @Override
  public String toString() {
    return "WorkerConnection[url=" + url + "]";
  }
}
