package io.asyncflow.flowsvr.operate.search;

import static io.asyncflow.flowsvr.task.table.Freshness.RECENT;

import com.github.benmanes.caffeine.cache.Cache;
import io.asyncflow.api.find.RunningPage;
import io.asyncflow.api.find.RunningTask;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.RecentValues;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
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
import java.util.stream.Collectors;
import org.springframework.stereotype.Service;

/**
 * The tasks that workers run, those that have run for the longest first. All viewers share what was
 * read of a table within three seconds. Thread-safe.
 */
@Service
class RunningTasks {

  private static final int MOST_TABLES = 10_000;
  private static final Duration FRESH = Duration.ofSeconds(3);

  /** The most tasks that one answer is chosen from. */
  private static final int MOST = 10_000;

  private final SearchStore store;
  private final TaskFamilies families;
  private final TaskTypes types;
  private final ReadDatabase database;
  private final Cache<TaskTable, Reading> readings;

  RunningTasks(
      SearchStore store, TaskFamilies families, TaskTypes types, ReadDatabase database, Node node) {
    this.store = store;
    this.families = families;
    this.types = types;
    this.database = database;
    this.readings = RecentValues.of(FRESH, MOST_TABLES, node);
  }

  /**
   * What was read of a table.
   *
   * @param isWhole whether these are all of its executing tasks
   */
  private record Reading(List<TaskRow> rows, boolean isWhole) {}

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
    List<TaskTable> tables =
        families.all(RECENT).stream()
            .filter(family -> type == null || family.type().equals(type))
            .filter(family -> caller.seesType(family.type().name()))
            .flatMap(family -> family.live().stream())
            .toList();
    List<Reading> read = read(tables);
    List<RunningTask> running =
        read.stream()
            .flatMap(reading -> reading.rows().stream())
            .filter(row -> workerId == null || workerId.equals(row.workerId()))
            .filter(row -> caller.seesUser(row.userId()))
            .sorted(Comparator.comparingLong(TaskRow::holdTime))
            .limit(limit)
            .flatMap(row -> shown(row).stream())
            .toList();
    boolean isWhole = read.size() == tables.size() && read.stream().allMatch(Reading::isWhole);
    return new RunningPage(running, isWhole);
  }

  /** What is known of these tables, as far as there was time and room to read them. */
  private synchronized List<Reading> read(List<TaskTable> tables) {
    List<Reading> known = new ArrayList<>();
    List<TaskTable> unread = new ArrayList<>();
    for (TaskTable table : tables) {
      Reading reading = readings.getIfPresent(table);
      if (reading == null) {
        unread.add(table);
      } else {
        known.add(reading);
      }
    }
    for (List<TaskTable> group : TableSql.groups(unread)) {
      if (database.isOver() || known.stream().mapToInt(of -> of.rows().size()).sum() >= MOST) {
        break;
      }
      List<TaskRow> rows = store.executing(group, MOST);
      Map<TaskTable, List<TaskRow>> byTable =
          rows.stream().collect(Collectors.groupingBy(row -> row.id().table()));
      boolean isCut = rows.size() == MOST;
      for (TaskTable table : group) {
        List<TaskRow> ofTable = byTable.getOrDefault(table, List.of());
        Reading reading =
            new Reading(ofTable, !isCut && ofTable.size() < SearchStore.MOST_EXECUTING);
        known.add(reading);
        if (!isCut) { // otherwise the table may have more for those who ask for less
          readings.put(table, reading);
        }
      }
    }
    return known;
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
