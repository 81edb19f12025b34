package io.asyncflow.flowsvr.search;

import static io.asyncflow.flowsvr.tasktable.Freshness.RECENT;

import io.asyncflow.api.find.RunningPage;
import io.asyncflow.api.find.RunningTask;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.db.ReadDatabase;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.rules.Leases;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Service;

/**
 * The tasks that workers run, those that have run for the longest first. All viewers share what was
 * read of a type within two seconds. Thread-safe.
 */
@Service
class RunningTasks {

  private static final long FRESH = Duration.ofSeconds(2).toNanos();

  /** The most tasks of a table. */
  private static final int MOST_OF_TABLE = 1_000;

  /** The most tasks that one answer is chosen from. */
  private static final int MOST = 10_000;

  private final SearchStore store;
  private final TaskFamilies families;
  private final TaskTypes types;
  private final ReadDatabase database;
  private final Node node;
  private final Map<TaskType, Reading> readings = new ConcurrentHashMap<>();

  RunningTasks(
      SearchStore store, TaskFamilies families, TaskTypes types, ReadDatabase database, Node node) {
    this.store = store;
    this.families = families;
    this.types = types;
    this.database = database;
    this.node = node;
  }

  /**
   * What was read of a type.
   *
   * @param isWhole whether these are all of its executing tasks
   */
  private record Reading(List<TaskRow> rows, boolean isWhole, long atNanos) {}

  /**
   * Running tasks that the caller sees, as far as there is time to read them.
   *
   * @param type {@code null} for all
   * @param workerId {@code null} for all
   */
  RunningPage list(TaskType type, String workerId, int limit, Caller caller) {
    if (type != null) {
      types.require(type);
    }
    List<TaskFamily> read =
        families.all(RECENT).stream()
            .filter(family -> type == null || family.type().equals(type))
            .filter(family -> caller.seesType(family.type().name()))
            .toList();
    List<TaskRow> rows = new ArrayList<>();
    boolean isWhole = true;
    long now = node.nanoTime();
    readings.values().removeIf(reading -> now - reading.atNanos() >= FRESH);
    for (TaskFamily family : read) {
      if (rows.size() >= MOST || database.isOver()) {
        isWhole = false;
        break;
      }
      Reading reading = readings.compute(family.type(), (of, last) -> fresh(family, last));
      isWhole &= reading.isWhole();
      rows.addAll(reading.rows());
    }
    List<RunningTask> running =
        rows.stream()
            .filter(row -> workerId == null || workerId.equals(row.workerId()))
            .filter(row -> caller.seesUser(row.userId()))
            .sorted(Comparator.comparingLong(TaskRow::holdTime))
            .limit(limit)
            .flatMap(row -> shown(row).stream())
            .toList();
    return new RunningPage(running, isWhole);
  }

  private Reading fresh(TaskFamily family, Reading last) {
    if (last != null && node.nanoTime() - last.atNanos() < FRESH) {
      return last;
    }
    long begin = node.nanoTime();
    List<TaskRow> rows = new ArrayList<>();
    boolean isWhole = true;
    for (TaskTable table : family.live()) {
      if (database.isOver()) {
        isWhole = false;
        break;
      }
      List<TaskRow> ofTable = store.executing(table, MOST_OF_TABLE);
      isWhole &= ofTable.size() < MOST_OF_TABLE;
      rows.addAll(ofTable);
    }
    return new Reading(rows, isWhole, begin);
  }

  private Optional<RunningTask> shown(TaskRow row) {
    return types.find(row.id().type()).map(type -> shown(row, type));
  }

  private static RunningTask shown(TaskRow row, TaskTypeConfig type) {
    long hardEnd = Leases.hardEnd(row, type);
    return new RunningTask(
        row.id().toString(),
        row.stage(),
        row.userId(),
        row.workerId().isEmpty() ? null : row.workerId(),
        row.leaseEpoch(),
        row.holdTime(),
        Math.max(0, row.now() - row.holdTime()),
        row.leaseEnd() - row.now(),
        hardEnd - row.now(),
        row.beatTime() == 0 ? null : Math.max(0, row.now() - row.beatTime()),
        row.progress(),
        row.place() == null ? null : "" + row.place().jobId(),
        row.traceId().isEmpty() ? null : row.traceId());
  }
}
