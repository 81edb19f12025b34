package io.asyncflow.flowsvr.governance;

import static java.util.Comparator.naturalOrder;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.due.DueWork;
import io.asyncflow.flowsvr.due.DueWork.Stage;
import io.asyncflow.flowsvr.due.DueWork.Waiting;
import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyResult;
import io.asyncflow.flowsvr.leader.LeaderElection;
import io.asyncflow.flowsvr.pause.PausesInForce;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.system.concurrent.FailureCollector;
import io.asyncflow.flowsvr.system.concurrent.RoundRobin;
import io.asyncflow.flowsvr.tasktable.TableGroups;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.BooleanSupplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Measures how overdue the longest waiting task is, so that operators notice work with too few
 * workers or none.
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

  private static final BinaryOperator<Duration> LATER = BinaryOperator.maxBy(naturalOrder());

  private final TaskTypes types;
  private final TaskFamilies families;
  private final DueWork dueWork;
  private final PausesInForce pauses;
  private final RoundRobin<TaskTable> turns = new RoundRobin<>(TABLES);

  /** The greatest lateness in each table at its last examination. */
  private final Map<TaskTable, Duration> late = new HashMap<>();

  /**
   * The same from the last complete pass over the table's stages, while the present pass goes on.
   */
  private final Map<TaskTable, Duration> lateBefore = new HashMap<>();

  /** The stage after which the next run continues, for tables whose pass is incomplete. */
  private final Map<TaskTable, Stage> unseen = new HashMap<>();

  private volatile long latestMs;

  @Autowired
  LateTasks(
      TaskTypes types,
      TaskFamilies families,
      DueWork dueWork,
      PausesInForce pauses,
      TaskMeters meters,
      LeaderElection election) {
    this(types, families, dueWork, pauses, meters, () -> election.term().isPresent());
  }

  /**
   * @param leads whether this server leads at present; otherwise values of its last term would be
   *     shown for ever
   */
  LateTasks(
      TaskTypes types,
      TaskFamilies families,
      DueWork dueWork,
      PausesInForce pauses,
      TaskMeters meters,
      BooleanSupplier leads) {
    this.types = types;
    this.families = families;
    this.dueWork = dueWork;
    this.pauses = pauses;
    meters.showSeconds(
        "tasks.late",
        "since the longest waiting due task became due, but for what is paused; measured by the"
            + " leader, 0 elsewhere",
        () -> leads.getAsBoolean() ? latestMs / 1000.0 : 0);
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
    for (TaskFamily family : families.allWithin(LATELY)) {
      if (types.known(family.type()).filter(type -> !type.paused()).isPresent()) {
        givenOut.addAll(family.live());
      }
    }
    late.keySet().retainAll(givenOut);
    unseen.keySet().retainAll(givenOut);
    FailureCollector failures = new FailureCollector();
    List<TaskTable> tables = turns.next(givenOut);
    examine(tables, failures);
    latestMs = latenessByTable().values().stream().mapToLong(Duration::toMillis).max().orElse(0);
    failures.throwFirst();
    return new Result(lateTypes().size(), latestMs);
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
    Map<TaskTable, Stage> positions = new HashMap<>();
    for (TaskTable table : tables) {
      Stage position = unseen.remove(table);
      positions.put(table, position == null ? Stage.before(table) : position);
    }
    List<TaskTable> remaining = tables;
    for (int i = 0; i < STAGES && !remaining.isEmpty(); i++) {
      List<Waiting> found =
          TableGroups.ask(
              remaining,
              failures,
              some -> dueWork.next(some.stream().map(positions::get).toList()));
      for (Waiting waiting : found) {
        TaskTable table = waiting.stage().table();
        positions.put(table, waiting.stage());
        if (!pauses.lately().stagesOf(table.type()).contains(waiting.stage().name())) {
          late.merge(table, waiting.late(), LATER);
        }
      }
      remaining = found.stream().map(waiting -> waiting.stage().table()).toList();
    }
    remaining.forEach(table -> unseen.put(table, positions.get(table)));
    lateBefore.keySet().retainAll(unseen.keySet());
  }
}
