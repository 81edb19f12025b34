package io.asyncflow.dev.environment;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The key that the environment gives, as flowsvr and the worker take it: {@code FLOW_API_KEY}, or
 * the content of the file that {@code FLOW_API_KEY_FILE} names.
 *
 * @param text {@code null} for none
 * @param file where it was read, absolute; {@code null} if it stands in the environment itself
 */
public record ApiKey(String text, Path file) {
  private static final String VARIABLE = "FLOW_API_KEY";
  private static final String FILE_VARIABLE = VARIABLE + "_FILE";

  /**
   * Reads the file where there is one.
   *
   * @throws DevException if the file cannot be read, or is empty
   * @throws UsageException if both variables are set, or the key is none that a header can carry
   */
  public static ApiKey in(Map<String, String> environment) {
    String text = environment.getOrDefault(VARIABLE, "");
    String file = environment.getOrDefault(FILE_VARIABLE, "").strip();
    if (file.isEmpty()) {
      return new ApiKey(text.isEmpty() ? null : checked(VARIABLE, text), null);
    }
    if (!text.isEmpty()) {
      throw new UsageException(
          VARIABLE + " and " + FILE_VARIABLE + " are both set; take one of them out.");
    }
    return new ApiKey(
        checked("The content of " + FILE_VARIABLE, contentOf(file)),
        Path.of(file).toAbsolutePath());
  }

  /**
   * What a child process needs beside the environment that it inherits: it has another working
   * directory, so a relative name would be none of its files.
   */
  public Map<String, String> forChild() {
    return file == null ? Map.of() : Map.of(FILE_VARIABLE, file.toString());
  }

  /** Without the end of its line, which most editors add. */
  private static String contentOf(String file) {
    String content;
    try {
      content = Files.readString(Path.of(file)).strip();
    } catch (IOException | IllegalArgumentException e) {
      throw new DevException(
          FILE_VARIABLE
              + " names "
              + file
              + ", which cannot be read: check the name and who may read it.",
          e);
    }
    if (content.isEmpty()) {
      throw new DevException(
          FILE_VARIABLE + " names " + file + ", which is empty: write the key into it.");
    }
    return content;
  }

  private static String checked(String what, String key) {
    try {
      return HttpFlowClient.checkApiKey(key);
    } catch (IllegalArgumentException e) {
      throw new UsageException(what + " must be " + e.getMessage() + ".");
    }
  }

  /** Without the key. */
  @Override
  public String toString() {
    return "ApiKey[file=" + file + "]";
  }
}
