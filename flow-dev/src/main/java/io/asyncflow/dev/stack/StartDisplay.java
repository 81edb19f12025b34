package io.asyncflow.dev.stack;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.function.BooleanSupplier;

/** Shows the steps of a start, one line each, and the reason of long waits. */
public final class StartDisplay {
  private static final Duration LONG = Duration.ofSeconds(15);

  private final PrintStream out;
  private final long begin = System.nanoTime();

  public StartDisplay(PrintStream out) {
    this.out = out;
  }

  /** Prints that a step is done, and the time since the start. */
  void done(String step) {
    double seconds = Duration.ofNanos(System.nanoTime() - begin).toMillis() / 1e3;
    out.printf(Locale.ROOT, "%6.1f s  %s%n", seconds, step);
  }

  /** Prints a notice. */
  void say(String sentence) {
    out.println(sentence);
  }

  /** Wraps a condition; prints once what is awaited if the condition stays false for long. */
  BooleanSupplier awaiting(String awaited, Path log, BooleanSupplier condition) {
    return new BooleanSupplier() {
      private final long start = System.nanoTime();
      private boolean printed;

      @Override
      public boolean getAsBoolean() {
        boolean met = condition.getAsBoolean();
        if (!met && !printed && System.nanoTime() - start > LONG.toNanos()) {
          out.println("Waiting for " + awaited + "; its log is " + log);
          printed = true;
        }
        return met;
      }
    };
  }
}
