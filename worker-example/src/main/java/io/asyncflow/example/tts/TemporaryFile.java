package io.asyncflow.example.tts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A temporary file, deleted on close. */
record TemporaryFile(Path path) implements AutoCloseable {

  /**
   * @param name the end of the file's name
   */
  static TemporaryFile create(String name) throws IOException {
    return new TemporaryFile(Files.createTempFile("asyncflow-", "-" + name));
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(path);
  }
}
