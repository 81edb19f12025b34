package io.asyncflow.systemtest.worker;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** The interpreter that engines are run with here. */
public final class Python {

  private Python() {}

  /** Leaves the test out where there is none, and says so. */
  public static void assumeIsThere(Class<?> test) throws InterruptedException {
    boolean isThere = isThere();
    if (!isThere) {
      System.out.println(
          "NOT RUN: " + test.getSimpleName() + ", there is no python3 on this machine");
    }
    assumeTrue(isThere, "there is no python3 on this machine");
  }

  private static boolean isThere() throws InterruptedException {
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
