package io.asyncflow.worker.internal.spool;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A directory that belongs to one process as long as that lives: a lock on a file in it says so,
 * and the system takes the lock back however the process ends.
 *
 * <p>Thread-safe.
 */
final class ClaimedDirectory implements AutoCloseable {

  private static final String LOCK = "lock";

  /** A directory that begins so is being made and claimed by nobody else. */
  private static final String HIDDEN = ".";

  /**
   * Those of this JVM. Their lock files must not be opened a second time: where locks belong to
   * processes, closing any of its channels to a file gives up the process's lock on it.
   */
  private static final Set<Path> OURS = new HashSet<>();

  private final Path path;
  private final FileChannel channel;

  private ClaimedDirectory(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /** Makes a new one in {@code parent}, which is made if need be; only its owner may read it. */
  static ClaimedDirectory make(Path parent) throws IOException {
    Files.createDirectories(parent, forOwnerOnly());
    String name = ProcessHandle.current().pid() + "-" + UUID.randomUUID();
    Path path = parent.toRealPath().resolve(name);
    Path hidden = Files.createDirectory(path.resolveSibling(HIDDEN + name), forOwnerOnly());
    FileChannel channel =
        FileChannel.open(
            hidden.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    remember(path);
    try {
      if (channel.tryLock() == null) {
        throw new IOException(hidden + " is claimed by somebody else");
      }
      Files.move(hidden, path, StandardCopyOption.ATOMIC_MOVE);
      return new ClaimedDirectory(path, channel);
    } catch (IOException e) {
      forget(path);
      channel.close();
      throw e;
    }
  }

  /** Claims one whose owner has ended; empty if it lives, or somebody was faster. */
  static Optional<ClaimedDirectory> claim(Path directory) throws IOException {
    Path path = directory.toRealPath();
    if (path.getFileName().toString().startsWith(HIDDEN) || !remember(path)) {
      return Optional.empty();
    }
    FileChannel channel = null;
    boolean claimed = false;
    try {
      channel = FileChannel.open(path.resolve(LOCK), StandardOpenOption.WRITE);
      // Its owner may have discarded it between the two.
      claimed = channel.tryLock() != null && Files.exists(path.resolve(LOCK));
      return claimed ? Optional.of(new ClaimedDirectory(path, channel)) : Optional.empty();
    } catch (NoSuchFileException | OverlappingFileLockException e) {
      return Optional.empty();
    } finally {
      if (!claimed) {
        forget(path);
        if (channel != null) {
          channel.close();
        }
      }
    }
  }

  Path path() {
    return path;
  }

  /** What is in it, the lock aside. */
  List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      return files.filter(file -> !file.endsWith(LOCK)).toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Gives it up with what is in it. */
  @Override
  public void close() throws IOException {
    channel.close();
    forget(path);
  }

  /** Deletes it, if nothing is in it, and gives it up. */
  void discard() throws IOException {
    try {
      if (files().isEmpty()) {
        Files.deleteIfExists(path.resolve(LOCK));
        Files.deleteIfExists(path);
      }
    } finally {
      close();
    }
  }

  private static boolean remember(Path path) {
    synchronized (OURS) {
      return OURS.add(path);
    }
  }

  private static void forget(Path path) {
    synchronized (OURS) {
      OURS.remove(path);
    }
  }

  /** What tasks came to is nobody else's business. */
  static FileAttribute<?>[] forOwnerOnly() {
    boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    return posix
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
        }
        : new FileAttribute<?>[0];
  }
}
