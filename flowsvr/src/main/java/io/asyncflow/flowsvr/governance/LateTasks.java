package io.asyncflow.flowsvr.governance;

import static java.util.Comparator.naturalOrder;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.due.DueWork;
import io.asyncflow.flowsvr.due.DueWork.Stage;
import io.asyncflow.flowsvr.due.DueWork.Waiting;
import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyResult;
import io.asyncflow.flowsvr.leader.LeaderElection;
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
 * Finds how late the latest waiting task is: what an operator wants to know of work for which there
 * are too few workers, or none.
 */
@Component
class LateTasks {

  private static final Duration INTERVAL = Duration.ofSeconds(10);

  private static final Duration LATE = Duration.ofSeconds(5);

  /** Sweeps read the families and the types, so that this need not. */
  private static final Duration LATELY = Duration.ofSeconds(12);

  /** Tables that one run looks at; where there are more, the next run goes on. */
  private static final int TABLES = 2_000;

  /** Stages of one table that one run looks at, at most; the next run goes on with the others. */
  private static final int STAGES = 50;

  private static final BinaryOperator<Duration> LATER = BinaryOperator.maxBy(naturalOrder());

  private final TaskTypes types;
  private final TaskFamilies families;
  private final DueWork dueWork;
  private final RoundRobin<TaskTable> turns = new RoundRobin<>(TABLES);

  /** How late the latest work of each table was when it was looked at. */
  private final Map<TaskTable, Duration> late = new HashMap<>();

  /** The same by the last whole circle through its stages, while the present one goes on. */
  private final Map<TaskTable, Duration> lateBefore = new HashMap<>();

  /** The stage behind which the next look at a table goes on, where one was not enough. */
  private final Map<TaskTable, Stage> unseen = new HashMap<>();

  private volatile long latestMs;

  @Autowired
  LateTasks(
      TaskTypes types,
      TaskFamilies families,
      DueWork dueWork,
      TaskMeters meters,
      LeaderElection election) {
    this(types, families, dueWork, meters, () -> election.term().isPresent());
  }

  /**
   * @param leads whether this server looks at present: what it saw when it led last is nobody's
   *     news, and would be shown for ever
   */
  LateTasks(
      TaskTypes types,
      TaskFamilies families,
      DueWork dueWork,
      TaskMeters meters,
      BooleanSupplier leads) {
    this.types = types;
    this.families = families;
    this.dueWork = dueWork;
    meters.show(
        "tasks.late",
        "seconds since the longest waiting due task became due, as the leader saw it last; 0 elsewhere",
        () -> leads.getAsBoolean() ? latestMs / 1000.0 : 0);
  }

  /**
   * What one look found.
   *
   * @param lateTypes types with work that has been due for more than a few seconds
   * @param latestMs how long the longest waiting due task has been due; of a table or a stage whose
   *     turn it was not, as it was when that was looked at
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
   * Looks at the types that are not paused; for one thread.
   *
   * @throws RuntimeException the first failure, after all the other tables have been looked at
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
    look(tables, failures);
    latestMs = known().values().stream().mapToLong(Duration::toMillis).max().orElse(0);
    failures.throwFirst();
    return new Result(lateTypes().size(), latestMs);
  }

  private Map<TaskTable, Duration> known() {
    Map<TaskTable, Duration> known = new HashMap<>(late);
    lateBefore.forEach((table, then) -> known.merge(table, then, LATER));
    return known;
  }

  /** The types with work that was late when it was looked at last. */
  Set<TaskType> lateTypes() {
    return known().entrySet().stream()
        .filter(table -> table.getValue().compareTo(LATE) > 0)
        .map(table -> table.getKey().type())
        .collect(toSet());
  }

  /** By one stage of each after the other, so that many tables share a statement. */
  private void look(List<TaskTable> tables, FailureCollector failures) {
    for (TaskTable table : tables) {
      Duration before = unseen.containsKey(table) ? null : late.remove(table);
      if (before != null) {
        lateBefore.put(table, before);
      }
    }
    Map<TaskTable, Stage> after = new HashMap<>();
    for (TaskTable table : tables) {
      Stage seen = unseen.remove(table);
      after.put(table, seen == null ? new Stage(table, "") : seen);
    }
    List<TaskTable> left = tables;
    for (int i = 0; i < STAGES && !left.isEmpty(); i++) {
      List<Waiting> found =
          TableGroups.ask(
              left, failures, some -> dueWork.next(some.stream().map(after::get).toList()));
      for (Waiting waiting : found) {
        TaskTable table = waiting.stage().table();
        after.put(table, waiting.stage());
        late.merge(table, waiting.late(), LATER);
      }
      left = found.stream().map(waiting -> waiting.stage().table()).toList();
    }
    left.forEach(table -> unseen.put(table, after.get(table)));
    lateBefore.keySet().retainAll(unseen.keySet());
  }
}
