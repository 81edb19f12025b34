package io.asyncflow.dev.stack;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.embedded.NativeBinaries;
import io.asyncflow.dev.host.FileTree;
import io.asyncflow.dev.host.LoopbackPort;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A port that one launcher of this user intends to use.
 *
 * <p>flowsvr binds its port seconds after the launcher found it free. Of two launchers that start
 * at the same time, both would find it free, one flowsvr would fail, and its launcher would take
 * the other flowsvr for its own.
 */
public final class ClaimedPort implements AutoCloseable {
  // One file for all ports, a byte for each. It stays open: closing any descriptor of a file
  // releases all locks of the process on it.
  private static FileChannel claims;

  private final int number;
  private final FileLock claim;

  private ClaimedPort(int number, FileLock claim) {
    this.number = number;
    this.claim = claim;
  }

  /**
   * Claims a port.
   *
   * @throws DevException if something listens there or another launcher is about to
   */
  public static ClaimedPort of(int number) {
    return tryClaim(number)
        .orElseThrow(
            () ->
                new DevException(
                    "Port "
                        + number
                        + " on "
                        + LoopbackPort.HOST
                        + " is taken: choose another with --port."));
  }

  /** Claims this port if it is free, else any free one. */
  public static ClaimedPort preferring(int number) {
    return tryClaim(number).orElseGet(() -> of(LoopbackPort.free()));
  }

  private static synchronized Optional<ClaimedPort> tryClaim(int number) {
    try {
      if (claims == null) {
        claims =
            FileChannel.open(
                FileTree.create(NativeBinaries.cacheDirectory()).resolve("ports.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
      }
      FileLock claim = claims.tryLock(number, 1, false);
      if (claim == null) {
        return Optional.empty();
      }
      ClaimedPort port = new ClaimedPort(number, claim);
      if (!LoopbackPort.isFree(number)) {
        port.close();
        return Optional.empty();
      }
      return Optional.of(port);
    } catch (OverlappingFileLockException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new DevException("Port " + number + " cannot be claimed: " + e.getMessage() + ".", e);
    }
  }

  int number() {
    return number;
  }

  @Override
  public void close() {
    try {
      claim.release();
    } catch (IOException e) {
      throw new DevException("Port " + number + " cannot be freed.", e);
    }
  }
}
