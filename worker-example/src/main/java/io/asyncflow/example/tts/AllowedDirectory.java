package io.asyncflow.example.tts;

import io.asyncflow.worker.NonRetryableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * The part of the file system that clients may name files in.
 *
 * <p>A task's context is written by whoever may create tasks, so a path in it is a wish. What leads
 * out of the directory, by {@code ..} or by a symbolic link, is refused before anything is touched.
 */
final class AllowedDirectory {

  /** In bytes: a task's context names two paths, and has 4,096 bytes for everything. */
  private static final int LONGEST_PATH = 1_700;

  private final Path root;
  private final String name;
  private final String setting;

  /**
   * @param name what the directory is called in messages
   * @param setting the property that moves it
   */
  AllowedDirectory(Path root, String name, String setting) {
    this.root = root.toAbsolutePath().normalize();
    this.name = name;
    this.setting = setting;
  }

  /**
   * A file in here.
   *
   * @param asked absolute, or relative to this directory
   * @return its real path
   */
  Path file(String asked) throws IOException {
    if (asked == null || asked.isBlank()) {
      throw new NonRetryableException("The context names no file in the " + name + ".");
    }
    if (!Files.isDirectory(root)) {
      throw new NonRetryableException(
          "The " + name + " " + root + " does not exist; make it or set " + setting + ".");
    }
    Path path = inside(asked);
    if (!Files.isRegularFile(path)) {
      throw new NonRetryableException("There is no file " + shown(asked) + ".");
    }
    return path.toRealPath();
  }

  /**
   * A directory in here, made where it is missing.
   *
   * @param asked absolute, or relative to this directory; {@code null} for this directory itself
   * @return its real path
   */
  Path directory(String asked) throws IOException {
    Files.createDirectories(root);
    Path path = asked == null ? root : inside(asked);
    try {
      return Files.createDirectories(path).toRealPath();
    } catch (FileAlreadyExistsException e) {
      throw new NonRetryableException(shown(asked) + " is not a directory.", e);
    }
  }

  private Path inside(String asked) throws IOException {
    int length = asked.getBytes(StandardCharsets.UTF_8).length;
    if (length > LONGEST_PATH) {
      throw new NonRetryableException(
          "A path has " + length + " bytes; " + LONGEST_PATH + " are allowed.");
    }
    Path path;
    try {
      path = root.resolve(asked).normalize();
    } catch (InvalidPathException e) {
      throw new NonRetryableException(shown(asked) + " is not a path.", e);
    }
    Path realRoot = root.toRealPath();
    boolean namesInside = path.startsWith(root) || path.startsWith(realRoot);
    if (!namesInside || !nearestExisting(path).toRealPath().startsWith(realRoot)) {
      throw new NonRetryableException(
          shown(asked) + " is outside of the " + name + " " + root + " (" + setting + ").");
    }
    return path;
  }

  /** What does not exist yet cannot be a link, so its nearest existing parent decides. */
  private static Path nearestExisting(Path path) {
    Path existing = path;
    while (!Files.exists(existing)) {
      existing = existing.getParent();
    }
    return existing;
  }

  /** A client's text in our message: on one line, and not a page of it. */
  private static String shown(String text) {
    String line = text.replaceAll("\\p{Cntrl}", "?");
    return '"' + (line.length() > 200 ? line.substring(0, 200) + "…" : line) + '"';
  }
}
