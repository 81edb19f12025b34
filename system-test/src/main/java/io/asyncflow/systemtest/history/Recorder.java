package io.asyncflow.systemtest.history;

import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes what one process does and sees as JSON lines to a file of its own.
 *
 * <p>Each write goes to the operating system at once: what was recorded before a kill -9 is there
 * after it. {@link System#nanoTime} is the machine's monotonic clock on Linux, so the lines of
 * several processes can be put in order, whatever happens to the time of day. Thread-safe.
 */
public final class Recorder implements AutoCloseable {

  static final String SUFFIX = ".jsonl";

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final String process;
  private final FileOutputStream file;
  private final AtomicLong calls = new AtomicLong();

  private Recorder(String process, FileOutputStream file) {
    this.process = process;
    this.file = file;
  }

  /**
   * Opens the file of a process.
   *
   * @param directory of the whole history; made where it does not exist
   * @param process its name, which no other process of the history has
   */
  public static Recorder open(Path directory, String process) {
    try {
      Files.createDirectories(directory);
      Path file = Files.createFile(directory.resolve(process + SUFFIX));
      // Not a channel: an interrupt, as a stopping worker's poller gets one, closes that for good.
      return new Recorder(process, new FileOutputStream(file.toFile()));
    } catch (IOException e) {
      throw new UncheckedIOException("the history of " + process + " cannot be written", e);
    }
  }

  /** The number of a new call. */
  public long newCall() {
    return calls.incrementAndGet();
  }

  /** Writes the lines of a call, all with the time of now. */
  public synchronized void record(long call, List<Event> drafts) {
    if (drafts.isEmpty()) {
      return;
    }
    long now = System.nanoTime(); // under the lock: the lines of a file are in the order of time
    ByteArrayOutputStream lines = new ByteArrayOutputStream(256 * drafts.size());
    for (Event draft : drafts) {
      lines.writeBytes(JSON.writeValueAsBytes(draft.at(now, process, call)));
      lines.write('\n');
    }
    write(lines.toByteArray());
  }

  /** Writes one line. */
  public void record(long call, Event draft) {
    record(call, List.of(draft));
  }

  private void write(byte[] lines) {
    try {
      file.write(lines);
    } catch (IOException e) {
      throw new UncheckedIOException("the history of " + process + " cannot be written", e);
    }
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
