package io.asyncflow.flowsvr.queue.lease;

import io.asyncflow.rules.TaskTable;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Which tables cannot be written, so that what each try costs, two seconds of a connection for a
 * lock on a table, is paid by few. A table that failed is left alone for a while, and then tried by
 * one caller alone; each further failure doubles the while. Thread-safe.
 */
final class TableTrouble {

  /** Longer than a try takes. */
  static final Duration FIRST_PAUSE = Duration.ofSeconds(3);

  static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  private final LongSupplier nanoTime;
  private final Map<TaskTable, Failure> failures = new ConcurrentHashMap<>();

  /**
   * The last failure of a table.
   *
   * @param until when the table is tried again, or the caller that tries it must be done
   */
  private record Failure(RuntimeException why, Duration pause, long until) {}

  TableTrouble(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * Why this caller must leave the table alone; empty if it may try it. After a pause that is one
   * caller alone, which then tells how it went.
   */
  Optional<RuntimeException> of(TaskTable table) {
    Failure last = failures.get(table);
    if (last == null) {
      return Optional.empty();
    }
    boolean isOver = nanoTime.getAsLong() - last.until() >= 0;
    return isOver && failures.replace(table, last, failure(last.why(), longer(last.pause())))
        ? Optional.empty()
        : Optional.of(last.why());
  }

  /**
   * The table could not be written. The pause begins now.
   *
   * @return whether this is news: the table had no trouble before
   */
  boolean failed(TaskTable table, RuntimeException why) {
    Failure first = failure(why, FIRST_PAUSE);
    return failures.merge(table, first, (last, none) -> failure(why, last.pause())) == first;
  }

  /** The table could be written. */
  void worked(TaskTable table) {
    failures.remove(table);
  }

  /** All may be tried: what failed may have been the database, and works again. */
  void forget() {
    failures.clear();
  }

  private Failure failure(RuntimeException why, Duration pause) {
    return new Failure(why, pause, nanoTime.getAsLong() + pause.toNanos());
  }

  private static Duration longer(Duration pause) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
  }
}
