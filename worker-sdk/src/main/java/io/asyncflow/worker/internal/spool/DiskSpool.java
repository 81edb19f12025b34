package io.asyncflow.worker.internal.spool;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.asyncflow.api.OneLine;
import io.asyncflow.api.Report;
import io.asyncflow.worker.internal.loop.Link;
import io.asyncflow.worker.internal.loop.OutageLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A spool with one file for each report, written atomically.
 *
 * <pre>
 *   spool/http_10.0.0.7_8081/      reports for one server, of all workers that share this directory
 *       4711-5c1b…/                reports of one process, which holds the lock
 *           lock
 *           8b0a….json             a report, by its reportId
 *       set-aside/                 unreadable or unsettleable reports, for people
 *       objects/                   undelivered objects of reports, see ObjectSpool
 * </pre>
 *
 * <p>A process that finds the lock of another one free adopts its reports, because that process has
 * ended. If two processes deliver the same report, because one died after sending it, the server
 * recognizes it by its {@code reportId}.
 */
public final class DiskSpool implements Spool {

  private static final Logger log = LoggerFactory.getLogger(DiskSpool.class);

  /** A later version of this program may have left a report with more members. */
  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private static final String SUFFIX = ".json";
  private static final String UNFINISHED = ".tmp";
  private static final String SET_ASIDE = "set-aside";
  private static final String OBJECTS = "objects";

  /** Limits that only protect the disk: an outage leaves no more reports than a worker holds. */
  private static final int MOST_REPORTS = 10_000;

  private static final long MOST_BYTES = 64L << 20;

  private record Kept(ClaimedDirectory directory, Path file, long bytes) {}

  private final Path root;
  private final int mostReports;
  private final long mostBytes;
  private final OutageLog trouble;
  private final ObjectSpool objects;
  private final Map<String, Kept> kept = new HashMap<>();
  private final Set<Path> unreadable = new HashSet<>();
  private ClaimedDirectory own;

  /**
   * Whether a directory of its own could not be made. That is tried again at the next {@link
   * #adopt()}, and not with each report: every report is offered again at each of its repetitions.
   */
  private boolean canMakeNone;

  private long bytes;
  private boolean closed;

  /**
   * Creates no files yet.
   *
   * @param root the directory of the reports to one server
   */
  public DiskSpool(Path root) {
    this(root, MOST_REPORTS, MOST_BYTES);
  }

  DiskSpool(Path root, int mostReports, long mostBytes) {
    this.root = root;
    this.mostReports = mostReports;
    this.mostBytes = mostBytes;
    this.objects = new ObjectSpool(root.resolve(OBJECTS));
    this.trouble = new OutageLog(log, "spool " + root, new Link());
  }

  /** Warns at the start of a worker, not only when the first report cannot be delivered. */
  public void warnIfNotWritable() {
    Path place = root.toAbsolutePath();
    while (!Files.exists(place)) {
      place = place.getParent();
    }
    if (!Files.isDirectory(place) || !Files.isWritable(place)) {
      log.warn(
          "spoolDir {} cannot be written, as {} is {}: reports that no server accepts are kept in"
              + " memory only, and lost if this process ends; let spoolDir"
              + " (asyncflow.worker.spool-dir) name a directory that this process can write, or"
              + " none",
          root.getParent(),
          place,
          Files.isDirectory(place) ? "not its own to write" : "no directory");
    }
  }

  @Override
  public synchronized boolean keep(Report report) {
    if (isKept(report)) {
      return true;
    }
    if (closed || canMakeNone) {
      return false;
    }
    byte[] json = bytesOf(report);
    if (kept.size() >= mostReports || bytes + json.length > mostBytes) {
      return refuse("FULL", "it is full with " + kept.size() + " reports");
    }
    try {
      if (own != null && !own.isWhole()) {
        log.warn("{} was deleted under this worker, which makes another", own.path());
        own.close();
        own = null;
      }
      if (own == null) {
        canMakeNone = true;
        own = ClaimedDirectory.make(root);
        canMakeNone = false;
      }
      Path file = own.path().resolve(report.reportId() + SUFFIX);
      write(file, json);
      remember(report, new Kept(own, file, json.length));
      trouble.worked();
      return true;
    } catch (IOException e) {
      return refuse("DISK", e.toString());
    }
  }

  /** What was deleted under this worker is kept no more, so that it is written again. */
  private boolean isKept(Report report) {
    Kept entry = kept.get(report.reportId());
    if (entry == null || entry.directory().isWhole() && Files.exists(entry.file())) {
      return entry != null;
    }
    forget(report);
    return false;
  }

  private static byte[] bytesOf(Report report) {
    try {
      return JSON.writeValueAsBytes(report);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a report cannot be written as JSON", e);
    }
  }

  private boolean refuse(String kind, String reason) {
    trouble.failed(
        kind, reason, "further reports are kept in memory alone and no task is asked for");
    return false;
  }

  /** Writes atomically: a crash leaves the whole file, or none with that name. */
  private static void write(Path file, byte[] json) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + UNFINISHED);
    try (FileChannel channel = FileChannel.open(unfinished, CREATE, TRUNCATE_EXISTING, WRITE)) {
      ByteBuffer buffer = ByteBuffer.wrap(json);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      channel.force(true);
    }
    Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    sync(file.getParent());
  }

  private static void sync(Path directory) {
    try (FileChannel channel = FileChannel.open(directory, READ)) {
      channel.force(true);
    } catch (IOException e) {
      log.debug("{} cannot be synced on this system; its files are", directory, e);
    }
  }

  private void remember(Report report, Kept entry) {
    kept.put(report.reportId(), entry);
    bytes += entry.bytes();
  }

  @Override
  public synchronized void forget(Report report) {
    Kept entry = kept.remove(report.reportId());
    if (entry == null) {
      return;
    }
    bytes -= entry.bytes();
    try {
      Files.deleteIfExists(entry.file());
    } catch (IOException e) {
      log.warn(
          "{} cannot be deleted; it is sent again after a restart: {}", entry.file(), e.toString());
    }
    discardIfDone(entry.directory());
  }

  @Override
  public synchronized void setAside(Report report) {
    Kept entry = kept.remove(report.reportId());
    if (entry == null) {
      return;
    }
    bytes -= entry.bytes();
    setAside(entry.file());
    discardIfDone(entry.directory());
  }

  private void setAside(Path file) {
    try {
      Path shelf =
          Files.createDirectories(root.resolve(SET_ASIDE), ClaimedDirectory.forOwnerOnly());
      Files.move(file, shelf.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      log.warn("{} is set aside in {}", file.getFileName(), shelf);
    } catch (IOException e) {
      log.warn("{} cannot be set aside: {}", file, e.toString());
    }
  }

  /**
   * Deletes an adopted directory once its last report is settled; the directory of this process
   * stays.
   */
  private void discardIfDone(ClaimedDirectory directory) {
    boolean inUse = kept.values().stream().anyMatch(entry -> entry.directory() == directory);
    if (inUse || directory == own || closed) {
      return;
    }
    try {
      directory.discard();
    } catch (IOException e) {
      log.debug("{} stays, and is read again later", directory.path(), e);
    }
  }

  @Override
  public synchronized void tryAgain() {
    canMakeNone = false;
  }

  @Override
  public synchronized List<Report> adopt() {
    canMakeNone = false;
    List<Report> adopted = new ArrayList<>();
    if (Files.isDirectory(root)) {
      try (Stream<Path> directories = Files.list(root)) {
        for (Path directory : directories.filter(Files::isDirectory).toList()) {
          if (!full() && !closed) {
            adopted.addAll(tryAdopt(directory));
          }
        }
      } catch (IOException | UncheckedIOException e) {
        log.warn("spool {} cannot be read; it is tried again: {}", root, e.toString());
      }
    }
    return adopted;
  }

  /** Adopts a directory; a directory of another user does not prevent adopting others. */
  private List<Report> tryAdopt(Path path) {
    try {
      return adopt(path);
    } catch (IOException | UncheckedIOException e) {
      if (unreadable.add(path)) {
        log.warn("reports in {} cannot be adopted; it is tried again: {}", path, e.toString());
      }
      return List.of();
    }
  }

  private List<Report> adopt(Path path) throws IOException {
    ClaimedDirectory directory = ClaimedDirectory.claim(path).orElse(null);
    if (directory == null) {
      return List.of();
    }
    List<Report> reports = new ArrayList<>();
    try {
      for (Path file : directory.files()) {
        if (file.toString().endsWith(UNFINISHED)) {
          Files.deleteIfExists(file);
        } else if (file.toString().endsWith(SUFFIX)) {
          read(directory, file).ifPresent(reports::add);
        }
      }
    } finally {
      discardIfDone(
          directory); // the readable reports are delivered; until then the directory stays
    }
    unreadable.remove(path);
    if (!reports.isEmpty()) {
      log.info("delivering {} reports that were left in {}", reports.size(), path);
    }
    return reports;
  }

  private Optional<Report> read(ClaimedDirectory directory, Path file) {
    try {
      byte[] json = Files.readAllBytes(file);
      Report report = requireWhole(JSON.readValue(json, Report.class));
      remember(report, new Kept(directory, file, json.length));
      return Optional.of(report);
    } catch (IOException | IllegalArgumentException e) {
      log.warn("{} is no report: {}", file, OneLine.of(e.getMessage()));
      setAside(file);
      return Optional.empty();
    }
  }

  private static Report requireWhole(Report report) {
    boolean complete =
        report != null
            && report.taskId() != null
            && report.workerId() != null
            && report.leaseEpoch() != null
            && report.outcome() != null
            && report.reportId() != null;
    if (!complete) {
      throw new IllegalArgumentException("it lacks a required field");
    }
    return report;
  }

  @Override
  public synchronized boolean full() {
    return kept.size() >= mostReports || bytes >= mostBytes;
  }

  @Override
  public synchronized int size() {
    return kept.size();
  }

  @Override
  public ObjectSpool objects() {
    return objects;
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    Set<ClaimedDirectory> claimed = new HashSet<>();
    kept.values().forEach(entry -> claimed.add(entry.directory()));
    try {
      for (ClaimedDirectory directory : claimed) {
        directory.close();
      }
      if (own != null && !claimed.contains(own)) {
        own.discard();
      }
    } catch (IOException e) {
      log.debug("{} was not closed cleanly; its lock ends with the process", root, e);
    }
  }

  @Override
  public String toString() {
    return root.toString();
  }
}
