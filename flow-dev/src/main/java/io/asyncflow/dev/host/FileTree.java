package io.asyncflow.dev.host;

import io.asyncflow.dev.DevException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Creates and deletes directory trees. */
public final class FileTree {
  private FileTree() {}

  /** Creates a directory and its missing parents, accessible to the owner only. */
  public static Path create(Path directory) {
    try {
      return Files.createDirectories(directory, OwnerOnly.NEW_DIRECTORY);
    } catch (IOException e) {
      throw new DevException("The directory " + directory + " cannot be created.", e);
    }
  }

  /** Deletes the directory with its content; does nothing if it does not exist. */
  public static void delete(Path directory) {
    if (!Files.exists(directory)) {
      return;
    }
    List<Path> deepestFirst;
    try (Stream<Path> tree = Files.walk(directory)) {
      deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
    } catch (NoSuchFileException | UncheckedIOException e) {
      // Another process deletes the same tree and will finish.
      return;
    } catch (IOException e) {
      throw new DevException("The directory " + directory + " cannot be read.", e);
    }
    for (Path path : deepestFirst) {
      try {
        Files.deleteIfExists(path);
      } catch (IOException e) {
        throw new DevException(path + " cannot be deleted.", e);
      }
    }
  }
}
