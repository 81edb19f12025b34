package io.asyncflow.dev.process;

import io.asyncflow.api.OneLine;
import io.asyncflow.dev.host.OwnerOnly;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The output of a child process, and its explanation of the child's end.
 *
 * @param program the child's name for people
 * @param appends whether one file has the output of all starts
 */
public record ProcessLog(String program, Path file, boolean appends) {
  private static final Pattern MISSING_LIBRARY =
      Pattern.compile("error while loading shared libraries: (\\S+):");

  /** The error line of a database or of flowsvr. */
  private static final Pattern ERROR =
      Pattern.compile("(?:\\[ERROR\\]|: (?=\\S+ does not start: ))\\s*(.+)");

  /** A log of each start, of which the last two are kept. */
  public ProcessLog(String program, Path file) {
    this(program, file, false);
  }

  /**
   * Renames the log of an earlier run, so that its end can be investigated, and creates an empty
   * log, which other users cannot read because it may contain task data.
   */
  void begin() throws IOException {
    if (Files.exists(file)) {
      if (appends) {
        return;
      }
      Files.move(file, earlier(file), StandardCopyOption.REPLACE_EXISTING);
    }
    OwnerOnly.emptyFile(file);
  }

  /** The log file of the previous run. */
  static Path earlier(Path log) {
    return log.resolveSibling(log.getFileName() + ".1");
  }

  /** Whether the output has this text of ASCII characters. */
  public boolean contains(String text) {
    return read().contains(text);
  }

  /** Why the child ended before it was ready, in one sentence. */
  String explain(int exitCode) {
    String text = read();
    Matcher library = MISSING_LIBRARY.matcher(text);
    if (library.find()) {
      return program
          + " cannot run because the shared library "
          + library.group(1)
          + " is missing: "
          + remedy(library.group(1));
    }
    return program
        + " ended with exit code "
        + exitCode
        + " instead of starting; its log is "
        + file
        + lastError(text)
        + ".";
  }

  private static String remedy(String library) {
    if (library.startsWith("libaio")) {
      return "install the package libaio1 (libaio1t64 on newer Debian and Ubuntu).";
    }
    if (library.startsWith("libnuma")) {
      return "install the package libnuma1.";
    }
    return "install the package that brings it.";
  }

  private static String lastError(String text) {
    return text.lines()
        .filter(line -> !line.contains("Aborting"))
        .map(ERROR::matcher)
        .filter(Matcher::find)
        .map(error -> error.group(1))
        .reduce((first, second) -> second)
        .map(error -> " and says: " + OneLine.of(error).replaceFirst("\\.+$", ""))
        .orElse("");
  }

  private String read() {
    try {
      // The log may contain names in any encoding; ISO 8859-1 accepts every byte.
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }
}
