package io.asyncflow.flowsvr.operate.governance;

import static java.util.Comparator.naturalOrder;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyResult;
import io.asyncflow.flowsvr.base.leader.LeaderElection;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.Outage;
import io.asyncflow.flowsvr.base.system.TypeSeries;
import io.asyncflow.flowsvr.base.system.concurrent.FailureCollector;
import io.asyncflow.flowsvr.base.system.concurrent.RoundRobin;
import io.asyncflow.flowsvr.base.system.metric.ScrapedMetrics;
import io.asyncflow.flowsvr.queue.due.DueStore;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.pause.PausesInForce;
import io.asyncflow.flowsvr.task.table.TableGroups;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.BooleanSupplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Measures how overdue the longest waiting task of each type is, so that operators notice work with
 * too few workers or none.
 */
@Component
class LateTasks {

  private static final Duration INTERVAL = Duration.ofSeconds(10);

  private static final Duration LATE = Duration.ofSeconds(5);

  /** Sweeps refresh the cached families and types, so that no extra read is needed. */
  private static final Duration LATELY = Duration.ofSeconds(12);

  /** The limit of tables in one run; the next run continues. */
  private static final int TABLES = 2_000;

  /** The limit of stages of one table in one run; the next run continues. */
  private static final int STAGES = 50;

  /** How long the numbers of a run are shown: a run that finds the database away has none. */
  private static final Duration SHOWN = Duration.ofMinutes(2);

  private static final String NAME = "asyncflow_tasks_late_seconds";

  private static final BinaryOperator<Duration> LATER = BinaryOperator.maxBy(naturalOrder());

  private final TaskTypes types;
  private final TaskFamilies families;
  private final DueStore index;
  private final PausesInForce pauses;
  private final RoundRobin<TaskTable> turns = new RoundRobin<>(TABLES);

  /** The greatest lateness in each table at its last examination. */
  private final Map<TaskTable, Duration> late = new HashMap<>();

  /**
   * The same from the last complete pass over the table's stages, while the present pass goes on.
   */
  private final Map<TaskTable, Duration> lateBefore = new HashMap<>();

  /** The stage after which the next run continues, for tables whose pass is incomplete. */
  private final Map<TaskTable, Source> unseen = new HashMap<>();

  private final BooleanSupplier leads;
  private final Node node;
  private final TypeSeries series = new TypeSeries();
  private volatile Shown shown;

  /**
   * What a run found.
   *
   * @param byType the lateness of each type that is not paused
   */
  private record Shown(Map<TaskType, Duration> byType, long atNanos) {

    long latestMs() {
      return byType.values().stream().mapToLong(Duration::toMillis).max().orElse(0);
    }
  }

  @Autowired
  LateTasks(
      TaskTypes types,
      TaskFamilies families,
      DueStore index,
      PausesInForce pauses,
      LeaderElection election,
      Node node,
      ScrapedMetrics metrics) {
    this(types, families, index, pauses, () -> election.term().isPresent(), node);
    metrics.add(List.of(NAME), this::snapshots);
  }

  /**
   * @param leads whether this server leads at present; otherwise values of its last term would be
   *     shown for ever
   */
  LateTasks(
      TaskTypes types,
      TaskFamilies families,
      DueStore index,
      PausesInForce pauses,
      BooleanSupplier leads,
      Node node) {
    this.types = types;
    this.families = families;
    this.index = index;
    this.pauses = pauses;
    this.leads = leads;
    this.node = node;
  }

  /** Of the leader alone, and only while its runs reach the database. */
  List<MetricSnapshot> snapshots() {
    Shown last = shown;
    if (last == null
        || !leads.getAsBoolean()
        || node.nanoTime() - last.atNanos() > SHOWN.toNanos()) {
      return List.of();
    }
    Map<String, Duration> bySeries = new TreeMap<>();
    last.byType().forEach((type, late) -> bySeries.merge(series.of(type.name()), late, LATER));
    return List.of(
        ScrapedMetrics.gauge(
            NAME,
            "since the first due task of the type became due, the longest of its stages, but for"
                + " what is paused; 0 if none is due",
            bySeries,
            type -> Labels.of("type", type),
            late -> late.toMillis() / 1_000.0));
  }

  /**
   * The result of one run.
   *
   * @param lateTypes the number of types with work that has been due for more than a few seconds
   * @param latestMs how long the longest waiting task has been due; for tables and stages not
   *     examined in this run, as of their last examination
   */
  record Result(int lateTypes, long latestMs) implements DutyResult {
    @Override
    public boolean hadEffect() {
      return lateTypes > 0;
    }
  }

  @Bean
  Duty lateTasksDuty() {
    return Duty.ofLeader("late-tasks", INTERVAL, this::runOnce);
  }

  /**
   * Examines the types that are not paused, but for their paused stages. Not thread-safe.
   *
   * @throws RuntimeException the first failure, after all other tables were examined
   */
  Result runOnce() {
    Set<TaskTable> givenOut = new HashSet<>();
    Set<TaskType> looked = new HashSet<>();
    for (TaskFamily family : families.allWithin(LATELY)) {
      if (types.known(family.type()).filter(type -> !type.paused()).isPresent()) {
        givenOut.addAll(family.live());
        looked.add(family.type());
      }
    }
    late.keySet().retainAll(givenOut);
    unseen.keySet().retainAll(givenOut);
    FailureCollector failures = new FailureCollector();
    List<TaskTable> tables = turns.next(givenOut);
    examine(tables, failures);
    try {
      failures.throwFirst();
    } catch (RuntimeException e) {
      if (Outage.of(e).isEmpty()) { // a table that cannot be read; the others were
        show(looked);
      }
      throw e;
    }
    return new Result(lateTypes().size(), show(looked).latestMs());
  }

  private Shown show(Set<TaskType> looked) {
    Map<TaskType, Duration> byType = new HashMap<>();
    looked.forEach(type -> byType.put(type, Duration.ZERO));
    latenessByTable().forEach((table, late) -> byType.merge(table.type(), late, LATER));
    shown = new Shown(byType, node.nanoTime());
    return shown;
  }

  private Map<TaskTable, Duration> latenessByTable() {
    Map<TaskTable, Duration> merged = new HashMap<>(late);
    lateBefore.forEach((table, then) -> merged.merge(table, then, LATER));
    return merged;
  }

  /** The types with work that was late at its last examination. */
  Set<TaskType> lateTypes() {
    return latenessByTable().entrySet().stream()
        .filter(table -> table.getValue().compareTo(LATE) > 0)
        .map(table -> table.getKey().type())
        .collect(toSet());
  }

  /** Examines the tables in rounds of one stage each, so that many tables share a statement. */
  private void examine(List<TaskTable> tables, FailureCollector failures) {
    for (TaskTable table : tables) {
      Duration previous = unseen.containsKey(table) ? null : late.remove(table);
      if (previous != null) {
        lateBefore.put(table, previous);
      }
    }
    Map<TaskTable, Source> positions = new HashMap<>();
    for (TaskTable table : tables) {
      Source position = unseen.remove(table);
      positions.put(table, position == null ? Source.before(table, TaskStatus.WAITING) : position);
    }
    List<TaskTable> remaining = tables;
    for (int i = 0; i < STAGES && !remaining.isEmpty(); i++) {
      List<Head> found =
          TableGroups.ask(
              remaining,
              failures,
              some -> List.copyOf(index.next(some.stream().map(positions::get).toList()).values()));
      for (Head head : found) {
        Source source = head.source();
        positions.put(source.table(), source);
        if (!pauses.lately().stagesOf(source.table().type()).contains(source.stage())) {
          late.merge(source.table(), Duration.ofMillis(Math.max(0, head.lateMs())), LATER);
        }
      }
      remaining = found.stream().map(head -> head.source().table()).toList();
    }
    remaining.forEach(table -> unseen.put(table, positions.get(table)));
    lateBefore.keySet().retainAll(unseen.keySet());
  }
}
