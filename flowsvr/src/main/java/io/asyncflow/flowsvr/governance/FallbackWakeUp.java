package io.asyncflow.flowsvr.governance;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.leader.LeaderElection;
import io.asyncflow.flowsvr.lease.DueWork;
import io.asyncflow.flowsvr.system.Events;
import io.asyncflow.flowsvr.system.Failures;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.flowsvr.tasktype.TaskType;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.stereotype.Component;

/**
 * Tells parked holds of work that has been due for a while: news of it may have been lost on the
 * way to another server, and whoever should have looked by itself may be stuck.
 *
 * <p>Mostly such work waits because there are too few workers, or none for its stage; then the news
 * does no harm, and the result is what an operator wants to know.
 */
@Component
class FallbackWakeUp {

  /** A few rounds of the parked holds' own fallback poll. */
  private static final Duration LATE = Duration.ofSeconds(5);

  /** Sweeps read the families and the types, so that this need not. */
  private static final Duration LATELY = Duration.ofSeconds(12);

  private final TaskTypes types;
  private final TaskFamilies families;
  private final DueWork dueWork;
  private final Events events;
  private volatile long latestMs;

  @Autowired
  FallbackWakeUp(
      TaskTypes types,
      TaskFamilies families,
      DueWork dueWork,
      Events events,
      TaskMeters meters,
      LeaderElection election) {
    this(types, families, dueWork, events, meters, () -> election.term().isPresent());
  }

  /**
   * @param leads whether this server looks at present: what it saw when it led last is nobody's
   *     news, and would be shown for ever
   */
  FallbackWakeUp(
      TaskTypes types,
      TaskFamilies families,
      DueWork dueWork,
      Events events,
      TaskMeters meters,
      BooleanSupplier leads) {
    this.types = types;
    this.families = families;
    this.dueWork = dueWork;
    this.events = events;
    meters.show(
        "tasks.late",
        "seconds since the longest waiting due task became due, as the leader saw it last; 0 elsewhere",
        () -> leads.getAsBoolean() ? latestMs / 1000.0 : 0);
  }

  /**
   * What one look found.
   *
   * @param lateTypes types with work that has been due for more than a few seconds
   * @param latestMs how long the longest waiting due task has been due
   */
  record Result(int lateTypes, long latestMs) implements JobResult {
    @Override
    public boolean didAnything() {
      return lateTypes > 0;
    }
  }

  /**
   * Looks at all types that are not paused.
   *
   * @throws RuntimeException the first failure, after all the other types have been looked at
   */
  Result runOnce() {
    int lateTypes = 0;
    long latest = 0;
    Failures failures = new Failures();
    List<TaskFamily> all = new ArrayList<>();
    families.allWithin(LATELY).forEach(all::add);
    Set<TaskType> waiting = waiting(all);
    for (TaskFamily family : all) {
      boolean isGivenOut = types.known(family.type()).filter(type -> !type.paused()).isPresent();
      if (!isGivenOut || !waiting.contains(family.type())) {
        continue;
      }
      Duration lateness = failures.orElse(Duration.ZERO, () -> dueWork.lateness(family));
      latest = Math.max(latest, lateness.toMillis());
      if (lateness.compareTo(LATE) > 0) {
        lateTypes++;
        events.publish(new TasksWaiting(family.type()));
      }
    }
    latestMs = latest;
    failures.throwFirst();
    return new Result(lateTypes, latest);
  }

  /** A table that cannot be read spoils the statement, and must not keep the others from it. */
  private Set<TaskType> waiting(List<TaskFamily> all) {
    try {
      return dueWork.waiting(all);
    } catch (BadSqlGrammarException e) {
      return all.stream().map(TaskFamily::type).collect(toSet());
    }
  }
}
