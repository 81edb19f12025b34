package io.asyncflow.dev.speech;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.dev.DevException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Downloads an object of a run. */
final class Download {
  private static final int TRIES = 3;

  private Download() {}

  /**
   * Downloads an object; replaces an existing file once the download is complete.
   *
   * @throws DevException if the object no longer exists, or the file cannot be written
   * @throws FlowUnreachableException if the server does not answer, or the download breaks off
   *     repeatedly
   */
  static Path of(FlowClient flow, String reference, Path file) {
    StoreKey key =
        StoreKey.ofReference(reference == null ? "" : reference)
            .orElseThrow(() -> new DevException("The result of the job is no speech."));
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try {
      for (int attempt = 1; !fetch(flow, key, part); attempt++) {
        if (attempt == TRIES) {
          throw new FlowUnreachableException("the speech broke off " + TRIES + " times", null);
        }
      }
      return Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new DevException("The speech cannot be written to " + file + ".", e);
    } catch (FlowException e) {
      if (e.errorCode() == ErrorCode.NO_SUCH_OBJECT) {
        throw new DevException("The server does not keep the speech any more.", e);
      }
      throw e;
    }
  }

  /** Downloads; false if the stream broke off. */
  private static boolean fetch(FlowClient flow, StoreKey key, Path part) throws IOException {
    try (InputStream in = new Incoming(flow.store().open(key))) {
      Files.copy(in, part, StandardCopyOption.REPLACE_EXISTING);
      return true;
    } catch (BrokenOffException e) {
      return false;
    }
  }

  /** A broken connection, as opposed to a file that cannot be written. */
  private static final class BrokenOffException extends IOException {
    private static final long serialVersionUID = 1L;

    BrokenOffException(IOException cause) {
      super(cause);
    }
  }

  private static final class Incoming extends InputStream {
    private final InputStream in;

    Incoming(InputStream in) {
      this.in = in;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      try {
        return in.read(buffer, offset, length);
      } catch (IOException e) {
        throw new BrokenOffException(e);
      }
    }

    @Override
    public int read() throws IOException {
      byte[] single = new byte[1];
      return read(single, 0, 1) < 0 ? -1 : single[0] & 0xff;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
