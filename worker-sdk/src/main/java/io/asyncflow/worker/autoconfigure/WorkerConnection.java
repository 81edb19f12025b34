package io.asyncflow.worker.autoconfigure;

import io.asyncflow.worker.InvalidSettingException;
import java.nio.file.Path;
import java.util.Map;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.core.env.Environment;

/** The connection settings of a worker: its properties, with environment variables as defaults. */
record WorkerConnection(String url, String apiKey, Path apiKeyFile, String redisUrl, Path caFile) {

  private static final Map<String, String> VARIABLES =
      Map.of(
          "url", "FLOW_URL",
          "apiKey", "FLOW_API_KEY",
          "apiKeyFile", "FLOW_API_KEY_FILE",
          "redisUrl", "FLOW_REDIS_URL",
          "caFile", "FLOW_CA");

  /**
   * @throws InvalidSettingException if two keys are set, of which one would be unused
   */
  static WorkerConnection of(WorkerProperties properties, Environment environment) {
    String apiKey = or(properties.apiKey(), environment, "apiKey");
    String apiKeyFile = or(properties.apiKeyFile(), environment, "apiKeyFile");
    if (apiKey != null && apiKeyFile != null) {
      throw new InvalidSettingException(
          "apiKeyFile", "unset where " + nameOf("apiKey", environment) + " is set");
    }
    return new WorkerConnection(
        or(properties.url(), environment, "url"),
        apiKey,
        pathOf(apiKeyFile),
        or(properties.redisUrl(), environment, "redisUrl"),
        pathOf(or(properties.caFile(), environment, "caFile")));
  }

  private static Path pathOf(String file) {
    return file == null ? null : Path.of(file);
  }

  private static String or(String property, Environment environment, String setting) {
    String value = isSet(property) ? property : environment.getProperty(VARIABLES.get(setting));
    return isSet(value) ? value : null;
  }

  /** The name under which the user set a value: an environment variable or a property. */
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
