package io.asyncflow.dev.speech;

import io.asyncflow.api.JobProgress;
import io.asyncflow.api.JobState;
import java.io.PrintStream;
import java.util.Locale;

/** Shows the progress of a job. Not thread-safe. */
public interface JobDisplay {
  /** Shows the progress if it has changed; may be called at any rate. */
  void show(JobProgress progress);

  /** Ends the display, so that other text may follow. */
  void end();

  /** A moving bar on a terminal, otherwise separate lines. */
  static JobDisplay on(PrintStream out, boolean terminal) {
    return terminal ? new Bar(out) : new Lines(out);
  }

  /** The progress in less than 60 characters. */
  static String words(JobProgress progress) {
    if (progress.total() == null) {
      return progress.state().isFinal() ? "nothing was split" : "splitting";
    }
    StringBuilder words = new StringBuilder();
    words.append(progress.done()).append(" of ").append(progress.total());
    int failed = progress.failed() + progress.cancelled();
    words.append(failed == 0 ? "" : ", " + failed + " failed");
    words.append(progress.running() == 0 ? "" : ", " + progress.running() + " running");
    if (progress.rate() != null) {
      words.append(String.format(Locale.ROOT, ", %.1f/s", progress.rate()));
    }
    return words.append(next(progress)).toString();
  }

  private static String next(JobProgress progress) {
    if (progress.state() == JobState.MERGING) {
      return ", merging";
    }
    if (progress.state() == JobState.STOPPING) {
      return ", stopping";
    }
    int remaining = progress.total() - ended(progress);
    if (remaining == 0 || progress.rate() == null || progress.rate() <= 0) {
      return "";
    }
    // Not computed from estimatedEnd, which refers to another clock than this machine's.
    long seconds = (long) Math.ceil(remaining / progress.rate());
    return String.format(Locale.ROOT, ", %d:%02d left", seconds / 60, seconds % 60);
  }

  private static int ended(JobProgress progress) {
    return progress.done() + progress.failed() + progress.cancelled();
  }

  /** One line, redrawn in place. */
  final class Bar implements JobDisplay {
    private static final int WIDTH = 20;
    private final PrintStream out;
    private int drawn;

    private Bar(PrintStream out) {
      this.out = out;
    }

    @Override
    public void show(JobProgress progress) {
      boolean empty = progress.total() == null || progress.total() == 0;
      int filled = empty ? 0 : (int) ((long) ended(progress) * WIDTH / progress.total());
      String line = "[" + "#".repeat(filled) + ".".repeat(WIDTH - filled) + "] " + words(progress);
      out.print("\r" + line + " ".repeat(Math.max(0, drawn - line.length())));
      out.flush();
      drawn = line.length();
    }

    @Override
    public void end() {
      if (drawn > 0) {
        out.println();
        drawn = 0;
      }
    }
  }

  /** A line for each 5 % of progress, each change of state and each failure. */
  final class Lines implements JobDisplay {
    private static final int STEPS = 20;
    private final PrintStream out;
    private String shown = "";

    private Lines(PrintStream out) {
      this.out = out;
    }

    @Override
    public void show(JobProgress progress) {
      boolean empty = progress.total() == null || progress.total() == 0;
      int step = empty ? 0 : (int) ((long) ended(progress) * STEPS / progress.total());
      String now = progress.state() + " " + step + " " + progress.failed();
      if (!now.equals(shown)) {
        shown = now;
        out.println(words(progress));
      }
    }

    @Override
    public void end() {
      // every line is complete
    }
  }
}
