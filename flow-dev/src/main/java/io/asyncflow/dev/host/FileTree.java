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

/** Whole directories at once. */
public final class FileTree {
  private FileTree() {}

  /** Makes what is missing of a directory, for its owner alone. */
  public static Path create(Path directory) {
    try {
      return Files.createDirectories(directory, OwnerOnly.NEW_DIRECTORY);
    } catch (IOException e) {
      throw new DevException("The directory " + directory + " cannot be created.", e);
    }
  }

  /** Deletes the directory and all in it; one that is not there is fine. */
  public static void delete(Path directory) {
    if (!Files.exists(directory)) {
      return;
    }
    List<Path> deepestFirst;
    try (Stream<Path> tree = Files.walk(directory)) {
      deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
    } catch (NoSuchFileException | UncheckedIOException e) {
      // Somebody else deletes the same tree: what is left is theirs to finish.
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
