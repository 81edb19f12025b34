package io.asyncflow.dev.command;

import io.asyncflow.dev.UsageException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;

/**
 * What follows {@code ./asyncflow dev} on the command line.
 *
 * @param port where flowsvr is to listen
 * @param dataDirectory where all data lives
 * @param worker whether the example worker runs too
 */
record DevOptions(int port, Path dataDirectory, boolean worker) {
  static final int DEFAULT_PORT = 8081;

  /**
   * Reads the options.
   *
   * @param defaultDirectory the data directory where none is named
   * @throws UsageException if there is something else
   */
  static DevOptions parse(List<String> arguments, Path defaultDirectory) {
    int port = DEFAULT_PORT;
    Path directory = defaultDirectory;
    boolean worker = true;
    Iterator<String> rest = arguments.iterator();
    while (rest.hasNext()) {
      String option = rest.next();
      switch (option) {
        case "--port" -> port = port(valueOf(option, rest));
        case "--data-dir" -> directory = directory(valueOf(option, rest));
        case "--no-worker" -> worker = false;
        default -> throw new UsageException("dev does not know " + option + ".");
      }
    }
    return new DevOptions(port, directory.toAbsolutePath().normalize(), worker);
  }

  private static String valueOf(String option, Iterator<String> rest) {
    if (!rest.hasNext()) {
      throw new UsageException(option + " needs a value.");
    }
    return rest.next();
  }

  private static int port(String text) {
    if (!text.matches("\\d{1,5}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > 65535) {
      throw new UsageException("A port is a number from 1 to 65535, not " + text + ".");
    }
    return Integer.parseInt(text);
  }

  private static Path directory(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new UsageException(text + " is not a directory.");
    }
  }
}
