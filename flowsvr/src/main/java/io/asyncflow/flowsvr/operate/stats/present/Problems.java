package io.asyncflow.flowsvr.operate.stats.present;

import io.asyncflow.api.stats.BoundedCount;
import io.asyncflow.api.stats.Overview.Problem;
import io.asyncflow.flowsvr.base.pulse.count.Count;
import io.asyncflow.flowsvr.base.system.db.ReadDatabase;
import io.asyncflow.flowsvr.operate.stats.history.MetricHistoryStore;
import io.asyncflow.flowsvr.operate.stats.history.MetricHistoryStore.Stage;
import io.asyncflow.flowsvr.operate.stats.present.PresentReader.OfType;
import io.asyncflow.flowsvr.task.index.Head;
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

  private final Map<Stage, Integer> workers;
  private final ServedStagesStore served;
  private final MetricHistoryStore metrics;
  private final ReadDatabase database;
  private final long now;

  /**
   * @param now epoch ms
   */
  Problems(
      Map<Stage, Integer> workers,
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
    Map<String, Set<String>> unserved = unserved(types);
    for (OfType type : types) {
      if (type.config().paused()) {
        if (paused.contains(type.name())) {
          problems.add(new Problem("PAUSED", type.name(), null));
        }
      } else {
        problems.addAll(ofRunning(type, unserved.getOrDefault(type.name(), Set.of())));
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

  private List<Problem> ofRunning(OfType type, Set<String> unserved) {
    List<Problem> problems = new ArrayList<>();
    for (String stage : unserved) {
      problems.add(new Problem("NO_WORKER", type.name(), stage));
    }
    if (isAtItsLimit(type)) {
      problems.add(new Problem("LIMIT", type.name(), null));
    } else if (problems.isEmpty() && isLate(type)) {
      problems.add(new Problem("LATE", type.name(), null));
    }
    return problems;
  }

  /**
   * The stages whose tasks nobody takes, by type; none if there is no time to find that out.
   * Workers that say nothing of themselves have held some lately; one statement tells that of all
   * stages.
   */
  private Map<String, Set<String>> unserved(List<OfType> types) {
    Map<String, Set<String>> stages = new HashMap<>();
    for (OfType type : types) {
      List<Head> waiting = type.config().paused() ? List.of() : type.waiting();
      for (Head first : waiting) {
        Stage stage = new Stage(type.name(), first.source().stage());
        if (first.lateMs() > UNSERVED.toMillis() && !workers.containsKey(stage)) {
          stages.computeIfAbsent(stage.type(), name -> new TreeSet<>()).add(stage.name());
        }
      }
    }
    if (stages.isEmpty() || database.isOver()) {
      return Map.of();
    }
    Set<String> names = new TreeSet<>();
    stages.values().forEach(names::addAll);
    long minute = Duration.ofMillis(now).toMinutes();
    metrics
        .sums(stages.keySet(), names, minute - MINUTES, minute + 1)
        .forEach(
            (stage, numbers) -> {
              if (numbers.count(Count.HELD) > 0) {
                stages.getOrDefault(stage.type(), new TreeSet<>()).remove(stage.name());
              }
            });
    return stages;
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
