package io.asyncflow.dev.host;

import io.asyncflow.dev.DevException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Locks a directory for one process at a time.
 *
 * <p>The operating system releases the lock when its process dies in any way, and child processes
 * do not inherit it. So a child running in an unlocked directory is an orphan, and a child in a
 * locked directory is in use.
 */
public final class DirectoryLock implements AutoCloseable {
  private static final String FILE = "asyncflow.lock";

  // POSIX locks belong to the process, and closing any descriptor of the file releases them: this
  // JVM must not open the file a second time.
  private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

  private final FileChannel channel;
  private final Path key;

  private DirectoryLock(FileChannel channel, Path key) {
    this.channel = channel;
    this.key = key;
  }

  /**
   * Takes the lock, creating the directory where needed.
   *
   * @throws DevException if a live process (this one included) holds it
   */
  public static DirectoryLock take(Path directory) {
    return tryTake(directory)
        .orElseThrow(
            () ->
                new DevException(
                    "The data directory "
                        + directory
                        + " is in use by another running Asyncflow"
                        + owner(directory)
                        + "."));
  }

  /** Takes the lock unless a live process (this one included) holds it. */
  static Optional<DirectoryLock> tryTake(Path directory) {
    Path key = realPath(FileTree.create(directory));
    if (!HELD_HERE.add(key)) {
      return Optional.empty();
    }
    FileChannel channel = null;
    boolean locked = false;
    try {
      channel =
          FileChannel.open(key.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      locked = channel.tryLock() != null;
      if (!locked) {
        return Optional.empty();
      }
      channel.truncate(0);
      channel.write(
          ByteBuffer.wrap(
              Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)));
      return Optional.of(new DirectoryLock(channel, key));
    } catch (IOException e) {
      locked = false;
      throw new DevException("The directory " + directory + " cannot be written.", e);
    } finally {
      if (!locked) {
        release(channel, key);
      }
    }
  }

  @Override
  public void close() {
    release(channel, key);
  }

  private static void release(FileChannel channel, Path key) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // The file's content does not matter; the lock is released with the descriptor in any case.
    } finally {
      HELD_HERE.remove(key);
    }
  }

  private static String owner(Path directory) {
    Path key = realPath(directory);
    if (HELD_HERE.contains(key)) {
      return " (this very process)";
    }
    try {
      String pid = Files.readString(key.resolve(FILE)).strip();
      return pid.isEmpty() ? "" : " (process " + pid + ")";
    } catch (IOException e) {
      return "";
    }
  }

  private static Path realPath(Path directory) {
    try {
      return directory.toRealPath();
    } catch (IOException e) {
      throw new DevException("The directory " + directory + " cannot be read.", e);
    }
  }
}
