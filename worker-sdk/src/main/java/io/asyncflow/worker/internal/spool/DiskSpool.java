package io.asyncflow.worker.internal.spool;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

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
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * One file a report, which is there whole or not at all.
 *
 * <pre>
 *   spool/http_10.0.0.7_8081/      reports for one server, of all workers that use this directory
 *       4711-5c1b…/                those of one process, which has the lock
 *           lock
 *           8b0a….json             a report, by its reportId
 *       set-aside/                 what cannot be read, or settled: for people
 *       objects/                   what reports name and found no server either, see ObjectSpool
 * </pre>
 *
 * <p>Who finds the lock of another process free takes its reports over: that process has ended. A
 * report that two of them deliver all the same (one had sent it and died) is one to the server, by
 * its {@code reportId}.
 */
public final class DiskSpool implements Spool {

  private static final Logger log = LoggerFactory.getLogger(DiskSpool.class);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final String SUFFIX = ".json";
  private static final String UNFINISHED = ".tmp";
  private static final String SET_ASIDE = "set-aside";
  private static final String OBJECTS = "objects";

  /**
   * An outage leaves no more behind than a worker holds; these only keep a disk from filling up.
   */
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
  private long bytes;
  private boolean closed;

  /**
   * Makes nothing yet.
   *
   * @param root for the reports to one server
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

  /** Says so when a worker starts, and not when the first report finds no server. */
  public void warnIfItCannotBeWritten() {
    Path place = root.toAbsolutePath();
    while (!Files.exists(place)) {
      place = place.getParent();
    }
    if (!Files.isDirectory(place) || !Files.isWritable(place)) {
      log.warn(
          "spoolDir {} cannot be written, as {} is {}: reports that find no server are kept in"
              + " memory alone, and lost if this process ends; let spoolDir"
              + " (asyncflow.worker.spool-dir) name a directory that this process can write, or none",
          root.getParent(),
          place,
          Files.isDirectory(place) ? "not its own to write" : "no directory");
    }
  }

  @Override
  public synchronized boolean keep(Report report) {
    if (kept.containsKey(report.reportId())) {
      return true;
    }
    if (closed) {
      return false;
    }
    byte[] json = JSON.writeValueAsBytes(report);
    if (kept.size() >= mostReports || bytes + json.length > mostBytes) {
      return refuse("FULL", "it is full with " + kept.size() + " reports");
    }
    try {
      if (own == null) {
        own = ClaimedDirectory.make(root);
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

  private boolean refuse(String kind, String reason) {
    trouble.failed(
        kind, reason, "further reports are kept in memory alone and no task is asked for");
    return false;
  }

  /** A crash leaves the whole file, or none of that name. */
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

  private void remember(Report report, Kept one) {
    kept.put(report.reportId(), one);
    bytes += one.bytes();
  }

  @Override
  public synchronized void forget(Report report) {
    Kept one = kept.remove(report.reportId());
    if (one == null) {
      return;
    }
    bytes -= one.bytes();
    try {
      Files.deleteIfExists(one.file());
    } catch (IOException e) {
      log.warn(
          "{} cannot be deleted; it is sent once more after a restart: {}",
          one.file(),
          e.toString());
    }
    discardIfDone(one.directory());
  }

  @Override
  public synchronized void setAside(Report report) {
    Kept one = kept.remove(report.reportId());
    if (one == null) {
      return;
    }
    bytes -= one.bytes();
    setAside(one.file());
    discardIfDone(one.directory());
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

  /** What was taken over goes when its last report has; the directory of this process stays. */
  private void discardIfDone(ClaimedDirectory directory) {
    boolean inUse = kept.values().stream().anyMatch(one -> one.directory() == directory);
    if (inUse || directory == own || closed) {
      return;
    }
    try {
      directory.discard();
    } catch (IOException e) {
      log.debug("{} stays, and is looked at again", directory.path(), e);
    }
  }

  @Override
  public synchronized List<Report> adopt() {
    List<Report> adopted = new ArrayList<>();
    if (Files.isDirectory(root)) {
      try (Stream<Path> directories = Files.list(root)) {
        for (Path directory : directories.filter(Files::isDirectory).toList()) {
          if (!full() && !closed) {
            adopted.addAll(adoptOrNone(directory));
          }
        }
      } catch (IOException | UncheckedIOException e) {
        log.warn("spool {} cannot be read; it is tried again: {}", root, e.toString());
      }
    }
    return adopted;
  }

  /** A directory that another user left behind keeps no other from being taken over. */
  private List<Report> adoptOrNone(Path path) {
    try {
      return adopt(path);
    } catch (IOException | UncheckedIOException e) {
      if (unreadable.add(path)) {
        log.warn("reports in {} cannot be taken over; it is tried again: {}", path, e.toString());
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
      discardIfDone(directory); // what could be read is delivered, and keeps it
    }
    unreadable.remove(path);
    if (!reports.isEmpty()) {
      log.info("{} reports that were left in {} are delivered", reports.size(), path);
    }
    return reports;
  }

  private Optional<Report> read(ClaimedDirectory directory, Path file) {
    try {
      byte[] json = Files.readAllBytes(file);
      Report report = requireWhole(JSON.readValue(json, Report.class));
      remember(report, new Kept(directory, file, json.length));
      return Optional.of(report);
    } catch (IOException | JacksonException | IllegalArgumentException e) {
      log.warn("{} is no report: {}", file, OneLine.of(e.getMessage()));
      setAside(file);
      return Optional.empty();
    }
  }

  private static Report requireWhole(Report report) {
    boolean whole =
        report != null
            && report.taskId() != null
            && report.workerId() != null
            && report.leaseEpoch() != null
            && report.outcome() != null
            && report.reportId() != null;
    if (!whole) {
      throw new IllegalArgumentException("it lacks what every report has");
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
    kept.values().forEach(one -> claimed.add(one.directory()));
    try {
      for (ClaimedDirectory directory : claimed) {
        directory.close();
      }
      if (own != null && !claimed.contains(own)) {
        own.discard();
      }
    } catch (IOException e) {
      log.debug("{} was not left in order; its lock ends with the process", root, e);
    }
  }

  @Override
  public String toString() {
    return root.toString();
  }
}
