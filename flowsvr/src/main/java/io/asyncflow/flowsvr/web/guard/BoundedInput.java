package io.asyncflow.flowsvr.web.guard;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Ends with an exception where a stream is longer than it may be. */
public final class BoundedInput extends FilterInputStream {

  /** There is more than was allowed; what is left is not read. */
  public static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  private long left;

  public BoundedInput(InputStream in, long max) {
    super(in);
    this.left = max;
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
    left -= read;
    if (left < 0) {
      throw new TooLongException();
    }
  }
}
