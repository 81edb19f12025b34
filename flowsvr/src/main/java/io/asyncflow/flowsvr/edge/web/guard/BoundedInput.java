package io.asyncflow.flowsvr.edge.web.guard;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A stream that throws when more than the permitted bytes are read, and that can ask for each so
 * many of them.
 */
public final class BoundedInput extends FilterInputStream {

  /** The stream is longer than permitted; the rest is not read. */
  public static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  private final long step;
  private final Runnable stepped;
  private long remaining;
  private long sinceStep;

  public BoundedInput(InputStream in, long max) {
    this(in, max, Long.MAX_VALUE, () -> {});
  }

  /**
   * @param stepped run after each step, which may throw to end the reading
   */
  public BoundedInput(InputStream in, long max, long step, Runnable stepped) {
    super(in);
    this.remaining = max;
    this.step = step;
    this.stepped = stepped;
  }

  @Override
  public int read() throws IOException {
    int next = super.read();
    count(next < 0 ? 0 : 1);
    return next;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    int count = super.read(buffer, offset, length);
    count(Math.max(count, 0));
    return count;
  }

  private void count(int read) throws TooLongException {
    remaining -= read;
    if (remaining < 0) {
      throw new TooLongException();
    }
    for (sinceStep += read; sinceStep >= step; sinceStep -= step) {
      stepped.run();
    }
  }
}
