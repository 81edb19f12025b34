package io.asyncflow.systemtest.python;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The interpreter that engines and workers in Python are run with here. */
public final class Python {

  private Python() {}

  /** Leaves the test out where there is none, and says so. */
  public static void assumeIsThere(Class<?> test) throws InterruptedException {
    boolean isThere = isThere();
    if (!isThere) {
      System.out.println(
          "NOT RUN: "
              + test.getSimpleName()
              + ", there is no python3, 3.9 or later, on this machine");
    }
    assumeTrue(isThere, "there is no python3, 3.9 or later, on this machine");
  }

  /** The sources of the SDK, for {@code PYTHONPATH}. */
  public static Path sdk() {
    return home().resolve("src");
  }

  /** The directory of the SDK. */
  static Path home() {
    String checkout = System.getProperty("asyncflow.home", "..");
    return Path.of(checkout, "clients", "python").toAbsolutePath().normalize();
  }

  private static boolean isThere() throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 9))")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
