package io.asyncflow.worker.internal.spool;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.StoreContent;
import io.asyncflow.api.StoreKey;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps undelivered objects on this machine's disk. A report that may name them is sent after them.
 *
 * <pre>
 *   spool/http_10.0.0.7_8081/objects/
 *       {worker id}/{task id}~{stage}~{epoch}~{name}                complete
 *       {worker id}/{random}.tmp                          being written
 * </pre>
 *
 * <p>All processes that share the directory may deliver any of them; a second delivery stores the
 * same bytes again. Thread-safe.
 */
public final class ObjectSpool {

  private static final Logger log = LoggerFactory.getLogger(ObjectSpool.class);

  private static final long MOST_BYTES = 1L << 30;
  private static final Duration LONGEST_WRITE = Duration.ofDays(1);
  private static final String UNFINISHED = ".tmp";
  private static final char SEPARATOR = '~';

  private record Kept(Path file, String workerId) {}

  private final Path root;
  private final long mostBytes;
  private final Map<StoreKey, Kept> kept = new ConcurrentHashMap<>();

  /**
   * Creates no files yet.
   *
   * @param root the directory of the objects to one server; {@code null} for none
   */
  ObjectSpool(Path root) {
    this(root, MOST_BYTES);
  }

  ObjectSpool(Path root, long mostBytes) {
    this.root = root;
    this.mostBytes = mostBytes;
  }

  /**
   * Keeps an object.
   *
   * @return {@code false} if there is no room, or no disk
   */
  boolean keep(StoreKey key, String workerId, StoreContent content) {
    if (root == null) {
      return false;
    }
    try {
      Path directory =
          Files.createDirectories(
              root.resolve(URLEncoder.encode(workerId, StandardCharsets.UTF_8)),
              ClaimedDirectory.forOwnerOnly());
      if (bytes() + content.length() > mostBytes) {
        log.warn("{} is full; {} waits for flowsvr in its run", root, key);
        return false;
      }
      Path file = directory.resolve(key.toString().replace('/', SEPARATOR));
      write(content, directory.resolve(UUID.randomUUID() + UNFINISHED), file);
      kept.put(key, new Kept(file, workerId));
      log.info("{} is kept on disk until flowsvr answers", key);
      return true;
    } catch (IOException
        | UncheckedIOException e) { // the last one for a file that was just removed
      log.warn("{} cannot be kept on disk and waits for flowsvr in its run: {}", key, e.toString());
      return false;
    }
  }

  private static void write(StoreContent content, Path unfinished, Path file) throws IOException {
    try {
      try (FileChannel channel = FileChannel.open(unfinished, CREATE_NEW, WRITE);
          InputStream in = content.open()) {
        in.transferTo(Channels.newOutputStream(channel));
        channel.force(true);
      }
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  private long bytes() throws IOException {
    long sum = 0;
    for (Path file : files()) {
      sum += Files.size(file);
    }
    return sum;
  }

  private List<Path> files() throws IOException {
    if (root == null || !Files.isDirectory(root)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(root, 2)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  /** Reads which objects other processes have kept, including ended ones. */
  public void look() {
    try {
      for (Path file : files()) {
        if (file.toString().endsWith(UNFINISHED)) {
          deleteIfAbandoned(file);
        } else {
          keyOf(file).ifPresent(key -> kept.putIfAbsent(key, new Kept(file, workerIdOf(file))));
        }
      }
    } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
      // The last one for a directory with a foreign name.
      log.warn("{} cannot be read; it is tried again: {}", root, e.toString());
    }
  }

  /** Deletes an unfinished file that is so old that its process must have ended. */
  private void deleteIfAbandoned(Path unfinished) throws IOException {
    Path fresh =
        Files.createTempFile(root, "now", UNFINISHED); // reads the clock of the file system
    try {
      long age = changed(fresh) - changed(unfinished);
      if (age > LONGEST_WRITE.toMillis()) {
        Files.deleteIfExists(unfinished);
      }
    } finally {
      Files.delete(fresh);
    }
  }

  private static long changed(Path file) throws IOException {
    return Files.getLastModifiedTime(file).toMillis();
  }

  private static Optional<StoreKey> keyOf(Path file) {
    return StoreKey.parse(file.getFileName().toString().replace(SEPARATOR, '/'));
  }

  private static String workerIdOf(Path file) {
    String name = file.getParent().getFileName().toString();
    return URLDecoder.decode(name, StandardCharsets.UTF_8);
  }

  public boolean hasAny() {
    return !kept.isEmpty();
  }

  /** Whether an object that the report may name is undelivered. */
  public boolean hasObjectsOf(Report report) {
    boolean mayName = report.outcome() == Outcome.NEXT_STAGE || report.outcome() == Outcome.SUCCESS;
    return mayName && hasAny() && kept.keySet().stream().anyMatch(key -> isOf(key, report));
  }

  /** Whether the object belongs to the run of the report. */
  public static boolean isOf(StoreKey key, Report report) {
    return key.epoch() == report.leaseEpoch() && key.taskId().equals(report.taskId());
  }

  /**
   * Delivers the objects that the report may name.
   *
   * @throws FlowException if the server does not answer, or refuses an object; not if the run may
   *     no longer report, which the answer to the report will show
   */
  public void deliverObjectsOf(Report report, StoreClient store) {
    if (!hasObjectsOf(report)) {
      return;
    }
    for (StoreKey key : List.copyOf(kept.keySet())) {
      if (isOf(key, report)) {
        deliver(key, store);
      }
    }
  }

  /** Drops a kept object, because the store has a newer one with this key. */
  void forget(StoreKey key) {
    Kept older = kept.get(key);
    if (older != null) {
      forget(key, older);
    }
  }

  /**
   * Delivers objects of runs that have reported or will not report; the server's fence refuses most
   * of them.
   *
   * @param isLeft false for objects of runs that may still store or report
   */
  public void deliverAll(Predicate<StoreKey> isLeft, StoreClient store) {
    try {
      kept.keySet().stream().filter(isLeft).toList().forEach(key -> deliver(key, store));
    } catch (FlowException e) {
      log.debug("objects are left in {}; they are tried again", root, e);
    }
  }

  private void deliver(StoreKey key, StoreClient store) {
    Kept object = kept.get(key);
    if (object == null) {
      return;
    }
    try {
      store.put(key, object.workerId(), StoreContent.of(object.file()));
      forget(key, object);
    } catch (NoSuchFileException e) {
      kept.remove(key); // another process has delivered it
    } catch (IOException e) {
      throw new FlowUnreachableException(object.file() + " cannot be read: " + e, e);
    } catch (FlowException e) {
      if (!isOver(e.errorCode())) {
        throw e; // it stays: a report that names it must get the same refusal
      }
      log.warn("{} was refused and is deleted: {}", key, e.getMessage());
      forget(key, object);
    }
  }

  private static boolean isOver(ErrorCode code) {
    return code == ErrorCode.LEASE_LOST
        || code == ErrorCode.TRANSITION_NOT_ALLOWED
        || code == ErrorCode.NO_SUCH_TASK;
  }

  private void forget(StoreKey key, Kept object) {
    kept.remove(key);
    try {
      Files.deleteIfExists(object.file());
    } catch (IOException e) {
      log.warn("{} cannot be deleted; it is delivered again: {}", object.file(), e.toString());
    }
  }

  /** Opens an object that is still kept. */
  Optional<InputStream> open(StoreKey key) {
    Kept object = kept.get(key);
    if (object == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(Files.newInputStream(object.file()));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
