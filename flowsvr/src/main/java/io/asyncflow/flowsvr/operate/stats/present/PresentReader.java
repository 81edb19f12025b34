package io.asyncflow.flowsvr.operate.stats.present;

import static io.asyncflow.api.stats.BoundedCount.ZERO;
import static io.asyncflow.flowsvr.task.table.Freshness.RECENT;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.partitioningBy;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.api.stats.Overview;
import io.asyncflow.api.stats.Overview.LastDay;
import io.asyncflow.api.stats.Overview.LastHour;
import io.asyncflow.api.stats.Overview.TypeNumbers;
import io.asyncflow.api.stats.StageList;
import io.asyncflow.api.stats.StageList.Percentiles;
import io.asyncflow.api.stats.StageList.StageNumbers;
import io.asyncflow.flowsvr.base.pulse.count.Count;
import io.asyncflow.flowsvr.base.pulse.count.Histogram;
import io.asyncflow.flowsvr.base.pulse.count.Numbers;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.TimedCache;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.operate.stats.depth.Depths;
import io.asyncflow.flowsvr.operate.stats.history.FailureHistoryStore;
import io.asyncflow.flowsvr.operate.stats.history.MetricHistoryStore;
import io.asyncflow.flowsvr.operate.stats.history.MetricHistoryStore.Stage;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.index.SourceWalk.Heads;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.springframework.stereotype.Component;

/** Reads how the work stands: the overview of all types, and the stages of one. */
@Component
class PresentReader {

  private static final int DUE = 100;
  private static final int EXECUTING = 1_000;
  private static final int OF_A_STAGE = 1_000;

  /** A limit beyond it is not judged. */
  private static final int MOST_EXECUTING = 10_000;

  private static final int MINUTES = 60;
  private static final int FAILURE_ROWS = 20_000;
  private static final Duration DAY_KEPT = Duration.ofMinutes(1);

  /** Sweeps refresh the cached families, so that no extra read is needed. */
  private static final Duration LATELY = Duration.ofSeconds(12);

  private final TaskTypes types;
  private final TaskFamilies families;
  private final Depths depths;
  private final ServedStagesStore served;
  private final MetricHistoryStore metrics;
  private final ReadDatabase database;
  private final TimedCache<Map<String, FailureHistoryStore.LastDay>> lastDay;

  PresentReader(
      TaskTypes types,
      TaskFamilies families,
      Depths depths,
      ServedStagesStore served,
      MetricHistoryStore metrics,
      FailureHistoryStore failures,
      ReadDatabase database,
      Node node) {
    this.types = types;
    this.families = families;
    this.depths = depths;
    this.served = served;
    this.metrics = metrics;
    this.database = database;
    this.lastDay = new TimedCache<>(Map.of(), () -> failures.lastDay(FAILURE_ROWS), node::nanoTime);
  }

  /** What is known of one type. */
  record OfType(
      TaskTypeConfig config,
      TaskFamily family,
      List<Head> waiting,
      BoundedCount due,
      BoundedCount executing,
      List<Numbers> minutes,
      FailureHistoryStore.LastDay day) {

    String name() {
      return config.type().name();
    }

    /** The first of the due tasks; {@code null} if none is due. */
    Long oldestDueMs() {
      long oldest = waiting.stream().mapToLong(Head::lateMs).max().orElse(-1);
      return oldest < 0 ? null : (Long) oldest;
    }

    Numbers lastHour() {
      Numbers sum = new Numbers();
      minutes.forEach(sum::addAll);
      return sum;
    }
  }

  /** What was read at once: the overview, and of it the stages with due or executing tasks. */
  record Present(Overview overview, List<StageDepth> stages) {}

  Present read() {
    List<TaskTypeConfig> configs = types.all();
    Map<String, TaskFamily> familyOf = new HashMap<>();
    families.allWithin(LATELY).forEach(family -> familyOf.put(family.type().name(), family));
    return database.inTurn(() -> read(configs, familyOf));
  }

  private Present read(List<TaskTypeConfig> configs, Map<String, TaskFamily> familyOf) {
    List<TaskTable> tables =
        configs.stream()
            .map(config -> familyOf.get(config.type().name()))
            .filter(family -> family != null)
            .flatMap(family -> family.live().stream())
            .toList();
    Heads firsts = depths.firsts(tables, List.of(TaskStatus.WAITING, TaskStatus.EXECUTING));
    long now = firsts.now().orElseGet(database::now);
    List<Head> waiting = ofStatus(firsts.list(), TaskStatus.WAITING);
    Map<Source, BoundedCount> due = depths.due(waiting, DUE);
    Map<Stage, Integer> workers = served.workersByStage();
    Map<String, FailureHistoryStore.LastDay> days = lastDay.within(DAY_KEPT);
    Map<String, List<Numbers>> minutes = minutes(configs, now);

    Map<String, List<Head>> waitingOf =
        waiting.stream().collect(groupingBy(first -> first.source().table().type().name()));
    Map<Source, BoundedCount> executing =
        executing(ofStatus(firsts.list(), TaskStatus.EXECUTING), configs, waitingOf);
    Map<String, BoundedCount> executingOf = sums(executing);
    Set<TaskType> cut = firsts.cut().stream().map(TaskTable::type).collect(toSet());
    List<OfType> all = new ArrayList<>();
    for (TaskTypeConfig config : configs) {
      String name = config.type().name();
      BoundedCount unseen = cut.contains(config.type()) ? BoundedCount.atLeast(0) : ZERO;
      all.add(
          new OfType(
              config,
              familyOf.get(name),
              waitingOf.getOrDefault(name, List.of()),
              waitingOf.getOrDefault(name, List.of()).stream()
                  .map(first -> due.getOrDefault(first.source(), ZERO))
                  .reduce(unseen, BoundedCount::plus),
              executingOf.getOrDefault(name, ZERO).plus(unseen),
              minutes.get(name),
              days.getOrDefault(name, new FailureHistoryStore.LastDay(0, 0))));
    }
    return new Present(
        new Overview(
            now,
            all.stream().map(type -> shown(type, workers)).toList(),
            new Problems(workers, served, metrics, database, now).of(all)),
        StageDepth.of(waiting, due, executing));
  }

  /** Counted up to a thousand, and further where that does not tell whether a limit is reached. */
  private Map<Source, BoundedCount> executing(
      List<Head> firsts, List<TaskTypeConfig> configs, Map<String, List<Head>> waiting) {
    Set<TaskType> limited =
        configs.stream()
            .filter(config -> config.maxExecuting() > EXECUTING)
            .filter(
                config ->
                    waiting.getOrDefault(config.type().name(), List.of()).stream()
                        .anyMatch(first -> first.lateMs() > Problems.AT_ITS_LIMIT.toMillis()))
            .map(TaskTypeConfig::type)
            .collect(toSet());
    Map<Boolean, List<Head>> byLimit =
        firsts.stream()
            .collect(partitioningBy(first -> limited.contains(first.source().table().type())));
    Map<Source, BoundedCount> counts = depths.all(byLimit.get(false), EXECUTING);
    counts.putAll(depths.all(byLimit.get(true), MOST_EXECUTING));
    return counts;
  }

  private static List<Head> ofStatus(List<Head> firsts, TaskStatus status) {
    return firsts.stream().filter(first -> first.source().status() == status).toList();
  }

  private static Map<String, BoundedCount> sums(Map<Source, BoundedCount> counts) {
    Map<String, BoundedCount> sums = new HashMap<>();
    counts.forEach(
        (place, count) -> sums.merge(place.table().type().name(), count, BoundedCount::plus));
    return sums;
  }

  /** The last minutes of each type, the latest last. */
  private Map<String, List<Numbers>> minutes(Collection<TaskTypeConfig> configs, long now) {
    long end = Duration.ofMillis(now).toMinutes() + 1;
    Map<String, List<Numbers>> minutes = new HashMap<>();
    configs.forEach(
        config ->
            minutes.put(
                config.type().name(),
                LongStream.range(0, MINUTES).mapToObj(minute -> new Numbers()).toList()));
    metrics.addUp(
        minutes.keySet(),
        List.of(""),
        end - MINUTES,
        end,
        (type, stage, minute) -> minutes.get(type).get((int) (minute - end + MINUTES)));
    return minutes;
  }

  private static TypeNumbers shown(OfType type, Map<Stage, Integer> workers) {
    Numbers hour = type.lastHour();
    return new TypeNumbers(
        type.name(),
        type.config().paused(),
        type.due(),
        type.executing(),
        type.oldestDueMs(),
        workers.getOrDefault(new Stage(type.name(), ""), 0),
        new LastHour(hour.count(Count.CREATED), hour.finished(), hour.count(Count.FAILED)),
        new LastDay(type.day().finals()),
        type.minutes().stream().map(Numbers::finished).toList());
  }

  /** How the stages of a type stand. */
  StageList stages(TaskType type) {
    List<TaskTable> tables = families.find(type, RECENT).map(TaskFamily::live).orElse(List.of());
    return database.inTurn(() -> stages(type, tables));
  }

  private StageList stages(TaskType type, List<TaskTable> tables) {
    Heads firsts = depths.firsts(tables, List.of(TaskStatus.values()));
    long now = firsts.now().orElseGet(database::now);
    List<Head> waiting = ofStatus(firsts.list(), TaskStatus.WAITING);
    List<Head> others = firsts.list().stream().filter(head -> !waiting.contains(head)).toList();
    Map<Source, BoundedCount> due = depths.due(waiting, OF_A_STAGE);
    Map<Source, BoundedCount> later = depths.later(waiting, OF_A_STAGE);
    Map<Source, BoundedCount> counts = depths.all(others, OF_A_STAGE);
    SortedSet<String> names =
        firsts.list().stream().map(f -> f.source().stage()).collect(toCollection(TreeSet::new));
    Map<Stage, Integer> workers = served.workersByStage();
    long end = Duration.ofMillis(now).toMinutes() + 1;
    Map<Stage, Numbers> lastHour = metrics.sums(List.of(type.name()), names, end - MINUTES, end);
    List<StageNumbers> stages =
        names.stream()
            .map(
                name -> {
                  Optional<Head> oldest = oldestDue(waiting, name);
                  Stage stage = new Stage(type.name(), name);
                  Numbers hour = lastHour.getOrDefault(stage, new Numbers());
                  return new StageNumbers(
                      name,
                      sum(due, name, TaskStatus.WAITING),
                      sum(later, name, TaskStatus.WAITING),
                      sum(counts, name, TaskStatus.EXECUTING),
                      sum(counts, name, TaskStatus.PAUSED),
                      sum(counts, name, TaskStatus.SUCCESS),
                      sum(counts, name, TaskStatus.FAILED),
                      sum(counts, name, TaskStatus.CANCELLED),
                      oldest.map(Head::lateMs).orElse(null),
                      oldest.map(PresentReader::id).orElse(null),
                      workers.getOrDefault(stage, 0),
                      percentiles(hour.runs()),
                      percentiles(hour.waits()));
                })
            .toList();
    return new StageList(now, firsts.cut().isEmpty(), stages);
  }

  private static Optional<Head> oldestDue(List<Head> waiting, String stage) {
    return waiting.stream()
        .filter(first -> first.source().stage().equals(stage) && first.lateMs() >= 0)
        .min(Comparator.comparingLong(Head::dueTime).thenComparingLong(Head::number));
  }

  private static String id(Head first) {
    return new TaskId(first.number(), first.source().table()).toString();
  }

  private static BoundedCount sum(
      Map<Source, BoundedCount> counts, String stage, TaskStatus status) {
    return counts.entrySet().stream()
        .filter(count -> count.getKey().stage().equals(stage))
        .filter(count -> count.getKey().status() == status)
        .map(Map.Entry::getValue)
        .reduce(BoundedCount.ZERO, BoundedCount::plus);
  }

  private static Percentiles percentiles(Histogram of) {
    return new Percentiles(
        of.percentileOrNull(0.5), of.percentileOrNull(0.95), of.percentileOrNull(0.99), of.size());
  }
}
