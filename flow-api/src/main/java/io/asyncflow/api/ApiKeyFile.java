package io.asyncflow.api;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.function.Supplier;

/**
 * The key in a file, read again whenever the file changes: so a key is replaced without a restart.
 * While the file is missing or has no key in it, the last key counts. Thread-safe.
 */
public final class ApiKeyFile implements Supplier<String> {

  private final Path file;
  private volatile Read last;

  /** Which file it was, also if another one takes its name, and what was in it. */
  private record Read(FileTime changed, Object identity, long size, String key) {}

  /**
   * Reads the key; surrounding white space is ignored.
   *
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if it does not contain exactly one key; the message does not
   *     contain it
   */
  public ApiKeyFile(Path file) throws IOException {
    this.file = file;
    this.last = read(attributes());
  }

  @Override
  public String get() {
    try {
      BasicFileAttributes now = attributes();
      Read before = last;
      if (!now.lastModifiedTime().equals(before.changed)
          || now.size() != before.size
          || now.fileKey() != null && !now.fileKey().equals(before.identity)) {
        last = read(now);
      }
    } catch (IOException | IllegalArgumentException e) {
      // It is being replaced, or was deleted.
    }
    return last.key;
  }

  /** Of the file that a link leads to. */
  private BasicFileAttributes attributes() throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class);
  }

  private Read read(BasicFileAttributes before) throws IOException {
    String key = Files.readString(file).strip();
    if (key.isEmpty()) {
      throw new IllegalArgumentException("an empty file has no key in it");
    }
    return new Read(
        before.lastModifiedTime(),
        before.fileKey(),
        before.size(),
        HttpFlowClient.checkApiKey(key));
  }

  /** Without the key. */
  @Override
  public String toString() {
    return "ApiKeyFile[" + file + "]";
  }
}
