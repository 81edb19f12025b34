package io.asyncflow.systemtest.cluster;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/**
 * A time of day that processes can be given, written in a file.
 *
 * <p>libfaketime lies about the time of day alone: the monotonic clock, which the histories go by,
 * stays true, as it does on a machine whose clock is set.
 */
public record FakedClock(Path file) {

  private static final Path LIBRARY =
      Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1");

  /**
   * Writes one; without libfaketime the test is skipped, and says so.
   *
   * @param offset from the true time
   */
  public static FakedClock in(Path directory, String name, Duration offset) {
    assumeTrue(Files.exists(LIBRARY), "needs the package libfaketime");
    FakedClock clock = new FakedClock(directory.resolve("clock-" + name));
    clock.jumpTo(offset);
    return clock;
  }

  /** Its processes notice within a second. */
  public void jumpTo(Duration offset) {
    try {
      Path next = file.resolveSibling(file.getFileName() + ".next");
      Files.writeString(next, String.format(Locale.ROOT, "%+d", offset.toSeconds()));
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE); // no process reads half of it
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The environment of a process with this clock. */
  public Map<String, String> variables() {
    return Map.of(
        "LD_PRELOAD",
        LIBRARY.toString(),
        "FAKETIME_TIMESTAMP_FILE",
        file.toAbsolutePath().toString(),
        "FAKETIME_CACHE_DURATION",
        "1",
        "FAKETIME_DONT_FAKE_MONOTONIC",
        "1",
        // Else each timed wait of the JVM ends at once, and it spins.
        "FAKETIME_FORCE_MONOTONIC_FIX",
        "0",
        "NO_FAKE_STAT",
        "1");
  }
}
