package io.asyncflow.systemtest.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Signals that Java has no method for. */
public final class Signals {

  private Signals() {}

  /** SIGSTOP: the process lives, and does nothing. */
  public static void stop(long pid) {
    send("STOP", pid);
  }

  /** SIGCONT: it goes on as if nothing had happened. */
  public static void resume(long pid) {
    send("CONT", pid);
  }

  private static void send(String signal, long pid) {
    try {
      // The shell's own kill: the program is not installed everywhere.
      new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + pid)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while signalling " + pid, e);
    }
  }
}
