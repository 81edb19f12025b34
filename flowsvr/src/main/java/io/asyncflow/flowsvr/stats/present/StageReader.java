package io.asyncflow.flowsvr.stats.present;

import static io.asyncflow.flowsvr.tasktable.Freshness.RECENT;
import static java.util.stream.Collectors.toCollection;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.api.stats.StageList;
import io.asyncflow.api.stats.StageList.Percentiles;
import io.asyncflow.api.stats.StageList.StageNumbers;
import io.asyncflow.flowsvr.pulse.count.Histogram;
import io.asyncflow.flowsvr.pulse.count.Numbers;
import io.asyncflow.flowsvr.stats.depth.Depths;
import io.asyncflow.flowsvr.stats.depth.Depths.Firsts;
import io.asyncflow.flowsvr.stats.depth.First;
import io.asyncflow.flowsvr.stats.depth.Place;
import io.asyncflow.flowsvr.stats.history.MetricHistoryStore;
import io.asyncflow.flowsvr.stats.present.ServedStagesStore.Stage;
import io.asyncflow.flowsvr.system.db.ReadDatabase;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.springframework.stereotype.Component;

/** Reads the stages of one type. */
@Component
class StageReader {

  private static final int LIMIT = 1_000;

  private final TaskFamilies families;
  private final Depths depths;
  private final ServedStagesStore served;
  private final MetricHistoryStore metrics;
  private final ReadDatabase database;

  StageReader(
      TaskFamilies families,
      Depths depths,
      ServedStagesStore served,
      MetricHistoryStore metrics,
      ReadDatabase database) {
    this.families = families;
    this.depths = depths;
    this.served = served;
    this.metrics = metrics;
    this.database = database;
  }

  StageList read(TaskType type) {
    List<TaskTable> tables = families.find(type, RECENT).map(TaskFamily::live).orElse(List.of());
    return database.inTurn(() -> read(type, tables));
  }

  private StageList read(TaskType type, List<TaskTable> tables) {
    Firsts firsts = depths.firsts(tables, List.of(TaskStatus.values()));
    long now = firsts.now().orElseGet(metrics::now);
    List<First> waiting =
        firsts.list().stream().filter(f -> f.place().status() == TaskStatus.WAITING).toList();
    List<First> others =
        firsts.list().stream().filter(f -> f.place().status() != TaskStatus.WAITING).toList();
    Map<Place, BoundedCount> due = depths.due(waiting, LIMIT);
    Map<Place, BoundedCount> later = depths.later(waiting, LIMIT);
    Map<Place, BoundedCount> counts = depths.all(others, LIMIT);
    SortedSet<String> names =
        firsts.list().stream().map(f -> f.place().stage()).collect(toCollection(TreeSet::new));
    Map<Stage, Integer> workers = served.workersByStage();
    Map<String, Numbers> lastHour = lastHour(type, names, now);
    List<StageNumbers> stages =
        names.stream()
            .map(
                name -> {
                  Optional<First> oldest = oldestDue(waiting, name);
                  Numbers hour = lastHour.getOrDefault(name, new Numbers());
                  return new StageNumbers(
                      name,
                      sum(due, name, TaskStatus.WAITING),
                      sum(later, name, TaskStatus.WAITING),
                      sum(counts, name, TaskStatus.EXECUTING),
                      sum(counts, name, TaskStatus.PAUSED),
                      sum(counts, name, TaskStatus.SUCCESS),
                      sum(counts, name, TaskStatus.FAILED),
                      sum(counts, name, TaskStatus.CANCELLED),
                      oldest.map(First::dueMs).orElse(null),
                      oldest.map(StageReader::id).orElse(null),
                      workers.getOrDefault(new Stage(type.name(), name), 0),
                      percentiles(hour.runs()),
                      percentiles(hour.waits()));
                })
            .toList();
    return new StageList(now, firsts.cut().isEmpty(), stages);
  }

  private Map<String, Numbers> lastHour(TaskType type, Set<String> stages, long now) {
    long end = Duration.ofMillis(now).toMinutes() + 1;
    Map<String, Numbers> sums = new HashMap<>();
    metrics.addUp(
        List.of(type.name()),
        stages,
        end - Duration.ofHours(1).toMinutes(),
        end,
        (name, stage, minute) -> sums.computeIfAbsent(stage, s -> new Numbers()));
    return sums;
  }

  private static Optional<First> oldestDue(List<First> waiting, String stage) {
    return waiting.stream()
        .filter(first -> first.place().stage().equals(stage) && first.dueMs() >= 0)
        .min(Comparator.comparingLong(First::dueTime).thenComparingLong(First::number));
  }

  private static String id(First first) {
    return new TaskId(first.number(), first.place().table()).toString();
  }

  private static BoundedCount sum(
      Map<Place, BoundedCount> counts, String stage, TaskStatus status) {
    return counts.entrySet().stream()
        .filter(count -> count.getKey().stage().equals(stage))
        .filter(count -> count.getKey().status() == status)
        .map(Map.Entry::getValue)
        .reduce(BoundedCount.ZERO, BoundedCount::plus);
  }

  private static Percentiles percentiles(Histogram of) {
    return new Percentiles(
        percentile(of, 0.5), percentile(of, 0.95), percentile(of, 0.99), of.size());
  }

  private static Long percentile(Histogram of, double share) {
    OptionalLong value = of.percentile(share);
    return value.isPresent() ? (Long) value.getAsLong() : null;
  }
}
