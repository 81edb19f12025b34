package io.asyncflow.worker.engine;

import io.asyncflow.api.OneLine;
import io.asyncflow.worker.StageContext;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Logs an engine's standard error with the id of the running task, and keeps its last lines for
 * failure reports.
 */
final class EngineLog implements Runnable {

  private static final Logger log = LoggerFactory.getLogger(EngineHandler.class);

  private static final int LONGEST_LINE = 1000;

  /** The maximum number of logged lines of one run. */
  static final int MOST_LINES = 200;

  private static final int REMEMBERED = 5;

  private final String engine;
  private final BoundedLines lines;
  private final Deque<String> last = new ArrayDeque<>();
  private String taskId;
  private Map<String, String> fields = Map.of();
  private int passed;

  EngineLog(String engine, InputStream stderr) {
    this.engine = engine;
    this.lines = new BoundedLines(stderr, LONGEST_LINE);
  }

  /**
   * Attributes lines to these runs from now on; a few lines may be late. They have the fields that
   * the lines of the calling thread have.
   */
  synchronized void begin(List<StageContext> runs) {
    taskId = runs.stream().map(StageContext::taskId).collect(Collectors.joining(","));
    fields = Objects.requireNonNullElse(MDC.getCopyOfContextMap(), Map.of());
    passed = 0;
    last.clear();
  }

  /** The last lines as the continuation of a sentence; empty if there are none. */
  synchronized String lastWords() {
    return last.isEmpty() ? "" : "; it said last: " + String.join(" | ", last);
  }

  @Override
  public void run() {
    try {
      for (BoundedLines.Line line = lines.next(); line != null; line = lines.next()) {
        pass(OneLine.of(line.text()));
      }
    } catch (IOException e) {
      log.debug("the standard error of engine {} is closed", engine, e);
    }
  }

  private synchronized void pass(String line) {
    if (last.size() == REMEMBERED) {
      last.removeFirst();
    }
    last.addLast(line);
    passed++;
    if (passed > MOST_LINES + 1) {
      return;
    }
    MDC.setContextMap(fields);
    try {
      if (passed <= MOST_LINES) {
        log.info("{} for {}: {}", engine, taskId == null ? "no task" : taskId, line);
      } else {
        log.warn("{} writes more than {} lines; the rest is dropped", engine, MOST_LINES);
      }
    } finally {
      MDC.clear();
    }
  }
}
