package io.asyncflow.dev.environment;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;

/** A secret from the environment: in a variable, or in the file that another variable names. */
final class Secret {
  private Secret() {}

  /** The variable that names the file. */
  static String fileVariable(String variable) {
    return variable + "_FILE";
  }

  /**
   * Reads the secret; empty if there is none.
   *
   * @throws DevException if the file cannot be read, or is empty
   * @throws UsageException if both variables are set
   */
  static String in(Map<String, String> environment, String variable) {
    String text = environment.getOrDefault(variable, "");
    String file = environment.getOrDefault(fileVariable(variable), "").strip();
    if (file.isEmpty()) {
      return text;
    }
    if (!text.isEmpty()) {
      throw new UsageException(
          variable + " and " + fileVariable(variable) + " are both set; take one of them out.");
    }
    String content = contentOf(file, fileVariable(variable));
    warnIfOpen(Path.of(file), fileVariable(variable));
    return content;
  }

  /** Secrets of Docker and Kubernetes are open unless asked for, so it is not refused. */
  private static void warnIfOpen(Path file, String variable) {
    try {
      if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
        System.err.println(
            "asyncflow: "
                + variable
                + " names "
                + file
                + ", which every user of this machine can read; change that with: chmod o= "
                + file);
      }
    } catch (IOException | UnsupportedOperationException e) {
      // It was read a moment ago, or has no such permissions.
    }
  }

  /** The content without its final line break, which most editors add. */
  private static String contentOf(String file, String variable) {
    String content;
    try {
      content = Files.readString(Path.of(file)).strip();
    } catch (IOException | IllegalArgumentException e) {
      throw new DevException(
          variable
              + " names "
              + file
              + ", which cannot be read: check the name and who may read it.",
          e);
    }
    if (content.isEmpty()) {
      throw new DevException(
          variable + " names " + file + ", which is empty: write the secret into it.");
    }
    return content;
  }
}
