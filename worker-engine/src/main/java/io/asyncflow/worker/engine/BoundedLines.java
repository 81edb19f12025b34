package io.asyncflow.worker.engine;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Reads lines of UTF-8 with a limit of bytes kept for each line. */
final class BoundedLines {

  /**
   * @param whole whether the line was within the limit
   */
  record Line(String text, boolean whole) {}

  private final InputStream in;
  private final int longest;

  BoundedLines(InputStream in, int longest) {
    this.in = new BufferedInputStream(in);
    this.longest = longest;
  }

  /**
   * The next line without its line break, cut at the limit; {@code null} at the end of the stream.
   */
  Line next() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    boolean whole = true;
    int b = in.read();
    if (b < 0) {
      return null;
    }
    for (; b >= 0 && b != '\n'; b = in.read()) {
      if (line.size() < longest) {
        line.write(b);
      } else {
        whole = false;
      }
    }
    return new Line(line.toString(StandardCharsets.UTF_8).stripTrailing(), whole);
  }
}
