package io.asyncflow.flowsvr.web.guard;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A stream that throws when more than the permitted bytes are read. */
public final class BoundedInput extends FilterInputStream {

  /** The stream is longer than permitted; the rest is not read. */
  public static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  private long remaining;

  public BoundedInput(InputStream in, long max) {
    super(in);
    this.remaining = max;
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
  }
}
