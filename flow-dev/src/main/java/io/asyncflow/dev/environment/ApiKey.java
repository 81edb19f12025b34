package io.asyncflow.dev.environment;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import java.nio.file.Path;
import java.util.Map;

/**
 * The API key from the environment, as flowsvr and the worker read it: {@code FLOW_API_KEY}, or the
 * content of the file that {@code FLOW_API_KEY_FILE} names.
 *
 * @param text {@code null} for none
 * @param file the absolute path of the file; {@code null} if the key is in the environment itself
 */
public record ApiKey(String text, Path file) {
  private static final String VARIABLE = "FLOW_API_KEY";
  private static final String FILE_VARIABLE = Secret.fileVariable(VARIABLE);

  /**
   * Reads the key from the variable or the file.
   *
   * @throws DevException if the file cannot be read, or is empty
   * @throws UsageException if both variables are set, or the key cannot be sent in a header
   */
  public static ApiKey in(Map<String, String> environment) {
    String text = Secret.in(environment, VARIABLE);
    String file = environment.getOrDefault(FILE_VARIABLE, "").strip();
    if (file.isEmpty()) {
      return new ApiKey(text.isEmpty() ? null : checked(VARIABLE, text), null);
    }
    return new ApiKey(
        checked("The content of " + FILE_VARIABLE, text), Path.of(file).toAbsolutePath());
  }

  /**
   * The variables for a child process in addition to the inherited ones. A child has another
   * working directory, so the file's path is made absolute.
   */
  public Map<String, String> forChild() {
    return file == null ? Map.of() : Map.of(FILE_VARIABLE, file.toString());
  }

  private static String checked(String source, String key) {
    try {
      return HttpFlowClient.checkApiKey(key);
    } catch (IllegalArgumentException e) {
      throw new UsageException(source + " must be " + e.getMessage() + ".");
    }
  }

  /** Does not contain the key. */
  @Override
  public String toString() {
    return "ApiKey[file=" + file + "]";
  }
}
