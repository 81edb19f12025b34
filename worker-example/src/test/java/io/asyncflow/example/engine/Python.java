package io.asyncflow.example.engine;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** The interpreter that engines are run with here. */
final class Python {

  private Python() {}

  /** Whether there is one; tests that need it say that they are not run where there is none. */
  static boolean isThere() throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder("python3", "--version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
