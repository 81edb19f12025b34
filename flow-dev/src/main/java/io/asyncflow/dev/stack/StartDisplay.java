package io.asyncflow.dev.stack;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.function.BooleanSupplier;

/** What people see of a start: a line a step, and what is waited for where that takes long. */
public final class StartDisplay {
  private static final Duration LONG = Duration.ofSeconds(15);

  private final PrintStream out;
  private final long begin = System.nanoTime();

  public StartDisplay(PrintStream out) {
    this.out = out;
  }

  /** Says that a step is done, and how long all has taken so far. */
  void done(String step) {
    double seconds = Duration.ofNanos(System.nanoTime() - begin).toMillis() / 1e3;
    out.printf(Locale.ROOT, "%6.1f s  %s%n", seconds, step);
  }

  /** Says something that people should know. */
  void say(String sentence) {
    out.println(sentence);
  }

  /** The condition, which says once what is waited for if it is not met for long. */
  BooleanSupplier awaiting(String what, Path log, BooleanSupplier condition) {
    return new BooleanSupplier() {
      private final long from = System.nanoTime();
      private boolean said;

      @Override
      public boolean getAsBoolean() {
        boolean met = condition.getAsBoolean();
        if (!met && !said && System.nanoTime() - from > LONG.toNanos()) {
          out.println("Waiting for " + what + "; its log is " + log);
          said = true;
        }
        return met;
      }
    };
  }
}
