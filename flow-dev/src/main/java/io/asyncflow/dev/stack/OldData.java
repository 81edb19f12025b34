package io.asyncflow.dev.stack;

import io.asyncflow.dev.DevException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDate;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Moves a data directory aside that this version cannot use. It is renamed, never deleted. */
final class OldData {
  // The files that commands keep in their data directory. A directory with other files may have
  // other uses.
  private static final Pattern OURS =
      Pattern.compile(
          "asyncflow\\.lock|mariadb|redis|flowsvr|worker(-\\d+)?|logs|store|spool|speech");

  private OldData() {}

  /**
   * Renames the directory to {@code {directory}.old-{today}}, or to the first such name with {@code
   * -2}, {@code -3} and so on that is free.
   *
   * @param directory an absolute path, locked by the caller; the lock stays valid
   * @return its new name
   * @throws DevException in one sentence if it cannot be renamed, or contains other files
   */
  static Path moveAside(Path directory, LocalDate today) {
    Path aside = freeName(directory, today);
    String old = "The data in " + directory + " was made from another baseline of the schema";
    List<Path> foreign = foreignFiles(directory);
    if (!foreign.isEmpty()) {
      throw new DevException(
          old
              + ", and is not moved because "
              + foreign.get(0).getFileName()
              + " beside it is not Asyncflow's: move that away, or name another directory (dev"
              + " --data-dir).");
    }
    try {
      return Files.move(directory, aside, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new DevException(
          old
              + " and cannot be renamed to "
              + aside
              + ": move it, or name another directory (dev --data-dir).",
          e);
    }
  }

  private static List<Path> foreignFiles(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> !OURS.matcher(file.getFileName().toString()).matches())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new DevException("The directory " + directory + " cannot be read.", e);
    }
  }

  private static Path freeName(Path directory, LocalDate today) {
    String name = directory.getFileName() + ".old-" + today;
    return IntStream.iterate(1, number -> number + 1)
        .mapToObj(number -> directory.resolveSibling(number == 1 ? name : name + "-" + number))
        .filter(path -> !Files.exists(path, LinkOption.NOFOLLOW_LINKS))
        .findFirst()
        .orElseThrow();
  }
}
