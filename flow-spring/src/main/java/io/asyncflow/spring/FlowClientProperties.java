package io.asyncflow.spring;

import io.asyncflow.api.TaskTypeSettings;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The client of this application, and the task types that it declares.
 *
 * @param url The URL of flowsvr, such as http://127.0.0.1:8081. Without it there is no client.
 * @param apiKey The key, sent to flowsvr as a bearer token. Default: the environment's
 *     FLOW_API_KEY, or none.
 * @param apiKeyFile A file that contains the key, instead of api-key; read again when it changes.
 *     Default: the environment's FLOW_API_KEY_FILE, or none.
 * @param caFile A PEM file with the certificate authorities to trust instead of Java's. Default:
 *     the environment's FLOW_CA, or none.
 * @param requestTimeout How long an answer may take.
 * @param types The task types that are saved when the application starts, by their names.
 */
@ConfigurationProperties("asyncflow.client")
public record FlowClientProperties(
    String url,
    String apiKey,
    String apiKeyFile,
    String caFile,
    @DefaultValue("10s") Duration requestTimeout,
    Map<String, TaskTypeSettings> types) {

  public FlowClientProperties {
    types = types == null ? Map.of() : types;
  }

  /** Without the key, and without passwords in URLs. */
  @Override
  public String toString() {
    return "FlowClientProperties";
  }
}
