package io.asyncflow.flowsvr.compose.store;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreKey;
import io.asyncflow.flowsvr.base.system.OwnerOnly;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores each object as a file, in a directory that all servers must share.
 *
 * <pre>
 *   store/objects/1f3/4711_lark_task_1/2-render/piece.wav    bucket / task / epoch-stage / name
 *   store/uploads/0b5c…                                      partial uploads
 * </pre>
 *
 * <p>Tasks are spread over buckets by a hash of their ids, so that no directory has too many
 * entries. {@link StoreKey} validates the parts of a key. A directory that was replaced by a link
 * out of the store is refused.
 */
public final class DirectoryContextStore implements ContextStore {

  private static final Logger log = LoggerFactory.getLogger(DirectoryContextStore.class);

  private static final int BUCKETS = 4096;

  /** The guard runs later, because syncing to disk may take a while. */
  private static final Runnable ONLY_WHEN_ON_DISK = () -> {};

  /** The collector may remove an empty directory just before an object is moved into it. */
  private static final int TRIES = 10;

  private final Path root;
  private final Path objects;
  private final Path uploads;
  private final long minFree;

  /** Bytes of the uploads under way on this server. */
  private final AtomicLong underWay = new AtomicLong();

  /**
   * Creates no files yet, but removes other users' permissions from those of earlier versions.
   *
   * @param minFree free disk space in bytes that an upload must leave
   */
  public DirectoryContextStore(Path root, long minFree) {
    this.root = root;
    this.objects = root.resolve("objects");
    this.uploads = root.resolve("uploads");
    this.minFree = minFree;
    OwnerOnly.protect(objects);
    OwnerOnly.protect(uploads);
  }

  @Override
  public void put(StoreKey key, Upload upload, Runnable guard) throws IOException {
    OwnerOnly.createDirectories(uploads);
    Path unfinished = uploads.resolve(UUID.randomUUID().toString());
    underWay.addAndGet(upload.length());
    try {
      requireRoom(upload);
      write(unfinished, upload);
      guard.run();
      publish(unfinished, fileOf(key));
    } finally {
      underWay.addAndGet(-upload.length());
      Files.deleteIfExists(unfinished);
    }
  }

  private void write(Path file, Upload upload) throws IOException {
    try (FileChannel channel = OwnerOnly.open(file, Set.of(CREATE_NEW, WRITE));
        OutputStream out = Channels.newOutputStream(channel)) {
      upload.checked(ONLY_WHEN_ON_DISK).transferTo(out);
      channel.force(true);
    } catch (IOException e) {
      requireRoom(upload); // a full disk is reported in different ways
      throw e;
    }
  }

  /**
   * Checks the space for all uploads under way; their bytes on disk count twice, which is
   * conservative.
   */
  private void requireRoom(Upload upload) throws IOException {
    long room =
        Files.getFileStore(uploads).getUsableSpace() - minFree - underWay.get() + upload.length();
    if (room < upload.length()) {
      throw new FlowException(
          ErrorCode.STORE_FULL,
          "the store has room for "
              + Math.max(0, room)
              + " more bytes, and the object has "
              + upload.length());
    }
  }

  private void publish(Path complete, Path file) throws IOException {
    for (int tries = 1; ; tries++) {
      try {
        makeDirectory(file.getParent());
        requireInside(file.getParent());
        Files.move(complete, file, StandardCopyOption.ATOMIC_MOVE);
        sync(file.getParent());
        return;
      } catch (NoSuchFileException e) {
        if (tries == TRIES) {
          throw e;
        }
      }
    }
  }

  /** Creates a directory and syncs its parent, without which its files could be lost in a crash. */
  private static void makeDirectory(Path directory) throws IOException {
    if (Files.isDirectory(directory, NOFOLLOW_LINKS)) {
      return;
    }
    makeDirectory(directory.getParent());
    try {
      OwnerOnly.createDirectory(directory);
    } catch (FileAlreadyExistsException e) {
      return; // another upload created it, or it is no directory, which the next access will detect
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

  @Override
  public List<String> tasks(String after, int limit) throws IOException {
    String first = after.isEmpty() ? "" : bucketOf(after);
    List<String> found = new ArrayList<>();
    for (String bucket : directoriesIn(objects)) {
      if (bucket.compareTo(first) >= 0) {
        for (String task : directoriesIn(objects.resolve(bucket))) {
          boolean isNext = !bucket.equals(first) || task.compareTo(after) > 0;
          if (isNext && found.size() < limit) {
            found.add(task);
          }
        }
        if (found.size() == limit) {
          break;
        }
      }
    }
    return found;
  }

  @Override
  public Map<String, List<Entry>> entries(List<String> taskIds) throws IOException {
    Map<String, List<Entry>> found = new HashMap<>();
    for (String taskId : taskIds) {
      found.put(taskId, entries(taskId));
    }
    return found;
  }

  @Override
  public List<Entry> entries(String taskId) throws IOException {
    List<Entry> entries = new ArrayList<>();
    Path ofTask = directoryOf(taskId);
    for (String run : directoriesIn(ofTask)) {
      for (Path file : listed(ofTask.resolve(run))) {
        Optional<StoreKey> key = keyOf(taskId, run, file.getFileName().toString());
        Optional<BasicFileAttributes> attributes =
            attributesOf(file).filter(BasicFileAttributes::isRegularFile);
        if (key.isPresent() && attributes.isPresent()) {
          entries.add(
              new Entry(
                  key.get(),
                  attributes.get().size(),
                  attributes.get().lastModifiedTime().toInstant()));
        }
      }
    }
    return entries;
  }

  private static Optional<StoreKey> keyOf(String taskId, String run, String name) {
    int dash = run.indexOf('-');
    return dash < 0
        ? Optional.empty()
        : StoreKey.parse(
            taskId + "/" + run.substring(dash + 1) + "/" + run.substring(0, dash) + "/" + name);
  }

  @Override
  public void delete(StoreKey key) throws IOException {
    Path file = fileOf(key);
    Files.deleteIfExists(file);
    deleteIfEmpty(file.getParent());
    deleteIfEmpty(file.getParent().getParent());
  }

  private static void deleteIfEmpty(Path directory) throws IOException {
    try {
      Files.deleteIfExists(directory);
    } catch (DirectoryNotEmptyException e) {
      // It contains the object of another upload.
    }
  }

  /** Makes no directory: who only looks changes nothing. */
  @Override
  public Usage usage() throws IOException {
    FileStore disk = diskOf(uploads.toAbsolutePath());
    return new Usage("DIRECTORY", toString(), disk.getUsableSpace(), disk.getTotalSpace(), minFree);
  }

  /** The disk on which a directory is, or will be once an upload makes it. */
  private static FileStore diskOf(Path directory) throws IOException {
    try {
      return Files.getFileStore(directory);
    } catch (NoSuchFileException e) {
      if (directory.getParent() == null) {
        throw e;
      }
      return diskOf(directory.getParent());
    }
  }

  @Override
  public void tidy(Instant before) throws IOException {
    for (Path unfinished : listed(uploads)) {
      Optional<BasicFileAttributes> attributes = attributesOf(unfinished);
      if (attributes.isPresent()
          && attributes.get().lastModifiedTime().toInstant().isBefore(before)) {
        Files.deleteIfExists(unfinished);
      }
    }
  }

  /** Names of the subdirectories in order; empty if the directory does not exist. */
  private static List<String> directoriesIn(Path directory) throws IOException {
    List<String> names = new ArrayList<>();
    for (Path path : listed(directory)) {
      if (attributesOf(path).filter(BasicFileAttributes::isDirectory).isPresent()) {
        names.add(path.getFileName().toString());
      }
    }
    names.sort(Comparator.naturalOrder());
    return names;
  }

  /**
   * The attributes of a path; empty if it was just removed. Any other failure is thrown: the
   * collector would treat an unreadable object as one that names no others.
   */
  private static Optional<BasicFileAttributes> attributesOf(Path path) throws IOException {
    try {
      return Optional.of(Files.readAttributes(path, BasicFileAttributes.class, NOFOLLOW_LINKS));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private static List<Path> listed(Path directory) throws IOException {
    if (attributesOf(directory).filter(BasicFileAttributes::isDirectory).isEmpty()) {
      return List.of();
    }
    try (Stream<Path> paths = Files.list(directory)) {
      return paths.toList();
    } catch (NoSuchFileException e) {
      return List.of(); // just removed
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private Path fileOf(StoreKey key) {
    return directoryOf(key.taskId()).resolve(key.epoch() + "-" + key.stage()).resolve(key.name());
  }

  private Path directoryOf(String taskId) {
    return objects.resolve(bucketOf(taskId)).resolve(taskId);
  }

  private static String bucketOf(String taskId) {
    return String.format(
        Locale.ROOT, "%03x", Math.floorMod(taskId.hashCode() * 0x9E3779B9, BUCKETS));
  }

  @Override
  public String toString() {
    return root.toString();
  }
}
