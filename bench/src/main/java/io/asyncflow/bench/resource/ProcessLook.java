package io.asyncflow.bench.resource;

import io.asyncflow.dev.DevException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What a JVM has at a moment.
 *
 * @param liveMiB of heap that a full collection leaves
 * @param threads of its process
 * @param files that it has open, sockets among them
 */
public record ProcessLook(double liveMiB, int threads, int files) {

  /**
   * Collects its garbage first.
   *
   * @throws DevException where there is no jcmd
   */
  public static ProcessLook at(long pid) throws IOException, InterruptedException {
    long live =
        ServerMemory.of(pid)
            .liveBytes()
            .orElseThrow(() -> new DevException("This part needs a JDK: a JRE has no jcmd."));
    Path process = Path.of("/proc", Long.toString(pid));
    return new ProcessLook(
        live / (double) (1 << 20),
        entries(process.resolve("task")),
        entries(process.resolve("fd")));
  }

  private static int entries(Path directory) {
    try (Stream<Path> entries = Files.list(directory)) {
      return (int) entries.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
