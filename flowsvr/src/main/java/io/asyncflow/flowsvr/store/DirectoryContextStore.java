package io.asyncflow.flowsvr.store;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file an object, in a directory that all servers must share.
 *
 * <pre>
 *   store/objects/1f3/4711_lark_task_1/2-render/piece.wav    bucket / task / epoch-stage / name
 *   store/uploads/0b5c…                                      what is not whole yet
 * </pre>
 *
 * <p>A bucket is a part of the tasks by a hash of their ids, so that no directory has too many
 * entries. The parts of a key are checked by {@link StoreKey}; a directory that somebody has
 * replaced by a link to elsewhere is refused all the same.
 */
final class DirectoryContextStore implements ContextStore {

  private static final Logger log = LoggerFactory.getLogger(DirectoryContextStore.class);

  private static final int BUCKETS = 4096;

  /** A collector may remove a directory, because it is empty, just when an object is to go in. */
  private static final int TRIES = 10;

  private final Path root;
  private final Path objects;
  private final Path uploads;
  private final long minFree;

  /**
   * Makes nothing yet.
   *
   * @param minFree bytes that an upload must leave free
   */
  DirectoryContextStore(Path root, long minFree) {
    this.root = root;
    this.objects = root.resolve("objects");
    this.uploads = root.resolve("uploads");
    this.minFree = minFree;
  }

  @Override
  public void put(StoreKey key, Upload upload, Runnable guard) throws IOException {
    Files.createDirectories(uploads);
    requireRoom(upload.length());
    Path unfinished = uploads.resolve(UUID.randomUUID().toString());
    try {
      write(unfinished, upload);
      guard.run();
      publish(unfinished, fileOf(key));
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  private void write(Path file, Upload upload) throws IOException {
    try (FileChannel channel = FileChannel.open(file, CREATE_NEW, WRITE);
        OutputStream out = Channels.newOutputStream(channel)) {
      upload.writeTo(out);
      channel.force(true);
    } catch (IOException e) {
      requireRoom(upload.length()); // what a disk says when it is full differs
      throw e;
    }
  }

  private void requireRoom(long bytes) throws IOException {
    long usable = Files.getFileStore(uploads).getUsableSpace();
    if (usable - bytes < minFree) {
      throw new FlowException(
          ErrorCode.STORE_FULL,
          "the store has room for "
              + Math.max(0, usable - minFree)
              + " more bytes, and the object has "
              + bytes);
    }
  }

  private void publish(Path whole, Path file) throws IOException {
    for (int tries = 1; ; tries++) {
      try {
        makeDirectory(file.getParent());
        requireInside(file.getParent());
        Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
        sync(file.getParent());
        return;
      } catch (NoSuchFileException e) {
        if (tries == TRIES) {
          throw e;
        }
      }
    }
  }

  /** What was made is on disk when this returns: without it the file would not be found again. */
  private static void makeDirectory(Path directory) throws IOException {
    if (Files.isDirectory(directory, NOFOLLOW_LINKS)) {
      return;
    }
    makeDirectory(directory.getParent());
    try {
      Files.createDirectory(directory);
    } catch (FileAlreadyExistsException e) {
      return; // another upload was first, or what lies there is none: the look inside will tell
    }
    sync(directory.getParent());
  }

  private static void sync(Path directory) {
    try (FileChannel channel = FileChannel.open(directory, READ)) {
      channel.force(true);
    } catch (IOException e) {
      log.debug("{} cannot be synced on this system; its files are", directory, e);
    }
  }

  private void requireInside(Path directory) throws IOException {
    Path expected = root.toRealPath().resolve(root.relativize(directory));
    if (!directory.toRealPath().equals(expected)) {
      throw new IOException(directory + " is a link that leads out of the store");
    }
  }

  @Override
  public Optional<StoredObject> open(StoreKey key) throws IOException {
    Path file = fileOf(key);
    try {
      requireInside(file.getParent());
      FileChannel channel = FileChannel.open(file, READ, NOFOLLOW_LINKS);
      return Optional.of(new StoredObject(Channels.newInputStream(channel), channel.size()));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private Path fileOf(StoreKey key) {
    return objects
        .resolve(bucketOf(key.taskId()))
        .resolve(key.taskId())
        .resolve(key.epoch() + "-" + key.stage())
        .resolve(key.name());
  }

  private static String bucketOf(String taskId) {
    return String.format("%03x", Math.floorMod(taskId.hashCode() * 0x9E3779B9, BUCKETS));
  }

  @Override
  public String toString() {
    return root.toString();
  }
}
