package io.asyncflow.flowsvr.stats.present;

import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.api.stats.Overview.Problem;
import io.asyncflow.flowsvr.pulse.count.Count;
import io.asyncflow.flowsvr.pulse.count.Numbers;
import io.asyncflow.flowsvr.stats.depth.First;
import io.asyncflow.flowsvr.stats.history.MetricHistoryStore;
import io.asyncflow.flowsvr.stats.present.OverviewReader.OfType;
import io.asyncflow.flowsvr.stats.present.ServedStagesStore.Stage;
import io.asyncflow.flowsvr.system.db.ReadDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Finds what an operator should look at. */
final class Problems {

  /** A worker that serves a stage takes a due task at once; a new one is known after seconds. */
  private static final Duration UNSERVED = Duration.ofSeconds(15);

  private static final Duration LATE = Duration.ofMinutes(1);

  /** For how long a task is due before a limit is a problem. */
  static final Duration AT_ITS_LIMIT = Duration.ofMinutes(5);

  private static final Duration PAUSED = Duration.ofDays(1);

  /** Times the wait that 95 of 100 tasks do not exceed. */
  private static final int FAR_BEYOND = 3;

  private static final int MANY_TABLES = 16;

  /** In which a worker that says nothing of itself would have held a task. */
  private static final int MINUTES = 3;

  private final Map<Stage, Set<String>> workers;
  private final ServedStagesStore served;
  private final MetricHistoryStore metrics;
  private final ReadDatabase database;
  private final long now;

  /**
   * @param now epoch ms
   */
  Problems(
      Map<Stage, Set<String>> workers,
      ServedStagesStore served,
      MetricHistoryStore metrics,
      ReadDatabase database,
      long now) {
    this.workers = workers;
    this.served = served;
    this.metrics = metrics;
    this.database = database;
    this.now = now;
  }

  List<Problem> of(List<OfType> types) {
    List<Problem> problems = new ArrayList<>();
    Set<String> paused =
        types.stream().anyMatch(type -> type.config().paused())
            ? served.typesPausedFor(PAUSED)
            : Set.of();
    for (OfType type : types) {
      if (type.config().paused()) {
        if (paused.contains(type.name())) {
          problems.add(new Problem("PAUSED", type.name(), null));
        }
      } else {
        problems.addAll(ofRunning(type));
      }
      if (type.day().poisoned() > 0) {
        problems.add(new Problem("POISONED", type.name(), null));
      }
      if (type.family() != null && type.family().live().size() >= MANY_TABLES) {
        problems.add(new Problem("TABLE_STUCK", type.name(), null));
      }
    }
    return problems;
  }

  private List<Problem> ofRunning(OfType type) {
    List<Problem> problems = new ArrayList<>();
    for (String stage : unserved(type)) {
      problems.add(new Problem("NO_WORKER", type.name(), stage));
    }
    if (isAtItsLimit(type)) {
      problems.add(new Problem("LIMIT", type.name(), null));
    } else if (problems.isEmpty() && isLate(type)) {
      problems.add(new Problem("LATE", type.name(), null));
    }
    return problems;
  }

  /** The stages whose tasks nobody takes; none if there is no time to find that out. */
  private Set<String> unserved(OfType type) {
    Set<String> stages = new TreeSet<>();
    for (First first : type.waiting()) {
      Stage stage = new Stage(type.name(), first.place().stage());
      if (first.dueMs() > UNSERVED.toMillis() && !workers.containsKey(stage)) {
        stages.add(stage.name());
      }
    }
    if (stages.isEmpty() || database.isOver()) {
      return Set.of();
    }
    stages.removeAll(held(type, stages));
    return stages;
  }

  /** Those of the stages of which tasks were held lately, by workers that say nothing of it. */
  private Set<String> held(OfType type, Set<String> stages) {
    long minute = Duration.ofMillis(now).toMinutes();
    Map<String, Numbers> sums = new HashMap<>();
    metrics.addUp(
        List.of(type.name()),
        stages,
        minute - MINUTES,
        minute + 1,
        (name, stage, at) -> sums.computeIfAbsent(stage, s -> new Numbers()));
    sums.values().removeIf(numbers -> numbers.count(Count.HELD) == 0);
    return sums.keySet();
  }

  private static boolean isAtItsLimit(OfType type) {
    int limit = type.config().maxExecuting();
    BoundedCount executing = type.executing();
    return limit > 0 && executing.count() >= limit && isDueFor(type, AT_ITS_LIMIT.toMillis());
  }

  private static boolean isLate(OfType type) {
    long usual = type.lastHour().waits().percentile(0.95).orElse(0);
    return isDueFor(type, Math.max(LATE.toMillis(), FAR_BEYOND * usual));
  }

  private static boolean isDueFor(OfType type, long ms) {
    return type.oldestDueMs() != null && type.oldestDueMs() > ms;
  }
}
