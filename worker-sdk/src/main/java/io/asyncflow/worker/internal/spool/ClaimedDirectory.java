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
 * A directory that one process owns as long as it lives, by a lock on a file in it, which the
 * operating system releases however the process ends.
 *
 * <p>Thread-safe.
 */
final class ClaimedDirectory implements AutoCloseable {

  private static final String LOCK = "lock";

  /** Prefix of directories under construction, which other processes do not claim. */
  private static final String HIDDEN = ".";

  /**
   * The directories of this JVM. Their lock files must not be opened a second time: with POSIX
   * locks, closing any channel to a file releases all locks of the process on it.
   */
  private static final Set<Path> OURS = new HashSet<>();

  private final Path path;
  private final FileChannel channel;

  private ClaimedDirectory(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /**
   * Creates and claims a new directory in {@code parent}, which is created if missing. Only its
   * owner may read it.
   */
  static ClaimedDirectory make(Path parent) throws IOException {
    Files.createDirectories(parent, forOwnerOnly());
    String name = ProcessHandle.current().pid() + "-" + UUID.randomUUID();
    Path path = parent.toRealPath().resolve(name);
    Path hidden = Files.createDirectory(path.resolveSibling(HIDDEN + name), forOwnerOnly());
    remember(path);
    FileChannel channel = null;
    try {
      channel =
          FileChannel.open(
              hidden.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      if (channel.tryLock() == null) {
        throw new IOException(hidden + " is claimed by another process");
      }
      Files.move(hidden, path, StandardCopyOption.ATOMIC_MOVE);
      return new ClaimedDirectory(path, channel);
    } catch (IOException e) {
      forget(path);
      try {
        // No process ever claims it, and the next try makes another one.
        if (channel != null) {
          channel.close();
          Files.delete(hidden.resolve(LOCK));
        }
        Files.delete(hidden);
      } catch (IOException stays) {
        e.addSuppressed(stays);
      }
      throw e;
    }
  }

  /**
   * Claims a directory whose owner has ended; empty if the owner lives or another process was
   * faster.
   */
  static Optional<ClaimedDirectory> claim(Path directory) throws IOException {
    Path path = directory.toRealPath();
    if (path.getFileName().toString().startsWith(HIDDEN) || !remember(path)) {
      return Optional.empty();
    }
    FileChannel channel = null;
    boolean claimed = false;
    try {
      channel = FileChannel.open(path.resolve(LOCK), StandardOpenOption.WRITE);
      // Its owner may have discarded it meanwhile.
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

  /** Whether a later process can still claim it: its lock was not deleted, as a cleaner does. */
  boolean isWhole() {
    return Files.exists(path.resolve(LOCK));
  }

  /** The files in it except the lock. */
  List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      return files.filter(file -> !file.endsWith(LOCK)).toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Releases the directory with its content. */
  @Override
  public void close() throws IOException {
    channel.close();
    forget(path);
  }

  /** Deletes the directory if it is empty, and releases it. */
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

  /** Permissions for the owner only, because results of tasks are confidential. */
  static FileAttribute<?>[] forOwnerOnly() {
    boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    return posix
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
        }
        : new FileAttribute<?>[0];
  }
}
