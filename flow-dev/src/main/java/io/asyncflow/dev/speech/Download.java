package io.asyncflow.dev.speech;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.dev.DevException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Downloads an object of a run. */
final class Download {
  private static final int TRIES = 3;
  private static final int BUFFER = 65_536;

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

  /** Downloads; false if the stream broke off, as opposed to a file that cannot be written. */
  private static boolean fetch(FlowClient flow, StoreKey key, Path part) throws IOException {
    try (InputStream in = flow.store().open(key);
        OutputStream out = Files.newOutputStream(part)) {
      byte[] buffer = new byte[BUFFER];
      while (true) {
        int length;
        try {
          length = in.read(buffer);
        } catch (IOException e) {
          return false;
        }
        if (length < 0) {
          return true;
        }
        out.write(buffer, 0, length);
      }
    }
  }
}
