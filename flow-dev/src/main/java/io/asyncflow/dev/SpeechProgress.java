package io.asyncflow.dev;

import java.io.PrintStream;

/** Shows how far the speech is. Not thread-safe. */
interface SpeechProgress {
  /** Shows that so many paragraphs are done; called as often as one likes. */
  void show(int spoken, int paragraphs);

  /** Leaves the display, so that other text may follow. */
  void end();

  /** A bar that moves, where somebody watches; lines that stay, where somebody reads later. */
  static SpeechProgress on(PrintStream out, boolean terminal) {
    return terminal ? new Bar(out) : new Lines(out);
  }

  /** One line, drawn again and again. */
  final class Bar implements SpeechProgress {
    private static final int WIDTH = 40;
    private final PrintStream out;
    private boolean drawn;

    private Bar(PrintStream out) {
      this.out = out;
    }

    @Override
    public void show(int spoken, int paragraphs) {
      int filled = spoken * WIDTH / paragraphs;
      out.print(
          "\r["
              + "#".repeat(filled)
              + ".".repeat(WIDTH - filled)
              + "] paragraph "
              + spoken
              + " of "
              + paragraphs);
      out.flush();
      drawn = true;
    }

    @Override
    public void end() {
      if (drawn) {
        out.println();
        drawn = false;
      }
    }
  }

  /** A line for each paragraph, none left out and none said twice. */
  final class Lines implements SpeechProgress {
    private final PrintStream out;
    private int shown;

    private Lines(PrintStream out) {
      this.out = out;
    }

    @Override
    public void show(int spoken, int paragraphs) {
      while (shown < spoken) {
        shown++;
        out.println("paragraph " + shown + " of " + paragraphs);
      }
    }

    @Override
    public void end() {
      // every line is whole
    }
  }
}
