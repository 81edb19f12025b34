package io.asyncflow.spring;

import io.asyncflow.api.ApiKeyFile;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.TrustedRoots;
import io.asyncflow.api.codec.PayloadCodec;
import io.asyncflow.api.codec.SealingFlowClient;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;

/** How the client reaches its server: the properties, with environment variables as defaults. */
record ClientConnection(URI url, Supplier<String> apiKey, SSLContext tls, Duration timeout) {

  private static final String PREFIX = "asyncflow.client.";

  /**
   * @throws InvalidConfigurationPropertyValueException if a value cannot be used
   */
  static ClientConnection of(FlowClientProperties properties, Environment environment) {
    String key = or(properties.apiKey(), environment, "FLOW_API_KEY");
    String keyFile = or(properties.apiKeyFile(), environment, "FLOW_API_KEY_FILE");
    if (key != null && keyFile != null) {
      throw invalid("api-key-file", keyFile, "there is an api-key, too");
    }
    String caFile = or(properties.caFile(), environment, "FLOW_CA");
    Duration timeout = properties.requestTimeout();
    if (timeout.isNegative() || timeout.isZero()) {
      throw invalid("request-timeout", timeout, "it must be positive");
    }
    return new ClientConnection(
        read("url", properties.url(), HttpFlowClient::parseUrl),
        keyFile == null ? keyOf(key) : keyIn(keyFile),
        caFile == null ? null : read("ca-file", caFile, file -> TrustedRoots.in(Path.of(file))),
        timeout);
  }

  private static Supplier<String> keyOf(String key) {
    if (key != null) {
      read("api-key", key, HttpFlowClient::checkApiKey);
    }
    return () -> key;
  }

  private static Supplier<String> keyIn(String file) {
    try {
      return new ApiKeyFile(Path.of(file));
    } catch (IOException | IllegalArgumentException e) {
      throw invalid(
          "api-key-file", file, "it must be a file with one key, which this process can read");
    }
  }

  private static <T> T read(String name, String value, Function<String, T> parse) {
    try {
      return parse.apply(value);
    } catch (IllegalArgumentException e) {
      boolean secret = name.equals("api-key");
      throw invalid(name, secret ? "…" : value, "it must be " + e.getMessage());
    }
  }

  private static InvalidConfigurationPropertyValueException invalid(
      String name, Object value, String reason) {
    return new InvalidConfigurationPropertyValueException(PREFIX + name, value, reason);
  }

  private static String or(String property, Environment environment, String variable) {
    String value = isSet(property) ? property : environment.getProperty(variable);
    return isSet(value) ? value : null;
  }

  private static boolean isSet(String value) {
    return value != null && !value.isBlank();
  }

  /**
   * @param codec {@code null} for none
   */
  FlowClient client(PayloadCodec codec, CurrentTrace trace) {
    FlowClient client =
        new HttpFlowClient(url, null, timeout, tls)
            .withKeyFrom(apiKey)
            .withTraceParentFrom(trace::traceParent);
    return codec == null ? client : new SealingFlowClient(client, codec);
  }

  /** Without the key. */
  @Override
  public String toString() {
    return "ClientConnection[url=" + url + "]";
  }
}
