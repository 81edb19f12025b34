package io.asyncflow.example.tts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that nobody needs for longer than a run. */
record TemporaryFile(Path path) implements AutoCloseable {

  /**
   * @param name how it ends
   */
  static TemporaryFile create(String name) throws IOException {
    return new TemporaryFile(Files.createTempFile("asyncflow-", "-" + name));
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(path);
  }
}
