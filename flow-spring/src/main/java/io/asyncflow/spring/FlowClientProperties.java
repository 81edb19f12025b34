package io.asyncflow.spring;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** The client of this application, and the task types that it declares. */
@ConfigurationProperties("asyncflow.client")
public class FlowClientProperties {

  /** The URL of flowsvr, such as http://127.0.0.1:8081. Without it there is no client. */
  private String url;

  /**
   * The key, sent to flowsvr as a bearer token. Default: the environment's FLOW_API_KEY, or none.
   */
  private String apiKey;

  /**
   * A file that contains the key, instead of api-key; read again when it changes. Default: the
   * environment's FLOW_API_KEY_FILE, or none.
   */
  private String apiKeyFile;

  /**
   * A PEM file with the certificate authorities to trust instead of Java's. Default: the
   * environment's FLOW_CA, or none.
   */
  private String caFile;

  /** How long an answer may take. */
  private Duration requestTimeout = Duration.ofSeconds(10);

  /** The task types that are saved when the application starts, by their names. */
  private Map<String, DeclaredType> types = new LinkedHashMap<>();

  public String getUrl() {
    return url;
  }

  public void setUrl(String url) {
    this.url = url;
  }

  public String getApiKey() {
    return apiKey;
  }

  public void setApiKey(String apiKey) {
    this.apiKey = apiKey;
  }

  public String getApiKeyFile() {
    return apiKeyFile;
  }

  public void setApiKeyFile(String apiKeyFile) {
    this.apiKeyFile = apiKeyFile;
  }

  public String getCaFile() {
    return caFile;
  }

  public void setCaFile(String caFile) {
    this.caFile = caFile;
  }

  public Duration getRequestTimeout() {
    return requestTimeout;
  }

  public void setRequestTimeout(Duration requestTimeout) {
    this.requestTimeout = requestTimeout;
  }

  public Map<String, DeclaredType> getTypes() {
    return types;
  }

  public void setTypes(Map<String, DeclaredType> types) {
    this.types = types;
  }
}
