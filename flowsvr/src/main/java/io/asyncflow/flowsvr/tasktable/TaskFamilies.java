package io.asyncflow.flowsvr.tasktable;

import io.asyncflow.flowsvr.tasktype.TaskType;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Looks up the tables of a type, and makes the first one when a type is used for the first time.
 *
 * <p>Thread-safe. What it answers may be {@link #FRESH} old: a position that another server has
 * moved since is seen a moment later, and every user of a family must be right all the same.
 */
@Component
public class TaskFamilies {

  private static final Logger log = LoggerFactory.getLogger(TaskFamilies.class);
  private static final Duration FRESH = Duration.ofSeconds(1);

  private final SchedulePositions positions;
  private final TaskTableStore tables;
  private volatile Snapshot snapshot = new Snapshot(Map.of(), System.nanoTime() - FRESH.toNanos());
  private final Map<TaskType, Object> firstUse = new ConcurrentHashMap<>();

  TaskFamilies(SchedulePositions positions, TaskTableStore tables) {
    this.positions = positions;
    this.tables = tables;
  }

  /** The family of a configured type; its first table is made if there is none yet. */
  public TaskFamily of(TaskType type) {
    return find(type).orElseGet(() -> create(type));
  }

  /** The family of a type; empty if the type was never used. */
  public Optional<TaskFamily> find(TaskType type) {
    return Optional.ofNullable(fresh().get(type));
  }

  /** The families of all types that were ever used. */
  public Iterable<TaskFamily> all() {
    return fresh().values();
  }

  /**
   * Makes the table after {@code end} and moves new tasks there.
   *
   * @return whether this call moved the position; false if somebody else had done so before
   */
  public boolean advance(TaskTable end) {
    TaskTable next = new TaskTable(end.type(), end.number() + 1);
    tables.create(next); // before the position: a creator must never be sent to a missing table
    boolean moved = positions.advanceEnd(end.type().name(), end.number()) == 1;
    forget();
    return moved;
  }

  private TaskFamily create(TaskType type) {
    synchronized (firstUse.computeIfAbsent(type, t -> new Object())) {
      tables.create(new TaskTable(type, 1));
      if (positions.insertFirst(type.name()) == 1) {
        log.info("task type {} is used for the first time: made its first table", type);
      }
      forget();
      return find(type).orElseThrow();
    }
  }

  private void forget() {
    snapshot = new Snapshot(snapshot.families, System.nanoTime() - FRESH.toNanos());
  }

  private Map<TaskType, TaskFamily> fresh() {
    Snapshot seen = snapshot;
    if (seen.isFresh()) {
      return seen.families;
    }
    synchronized (positions) {
      if (!snapshot.isFresh()) {
        snapshot = load();
      }
      return snapshot.families;
    }
  }

  private Snapshot load() {
    long readAt = System.nanoTime();
    Map<TaskType, TaskFamily> families = new HashMap<>();
    for (SchedulePosition position : positions.findAll()) {
      TaskType.parse(position.taskType())
          .ifPresent(type -> families.put(type, position.family(type)));
    }
    return new Snapshot(Map.copyOf(families), readAt);
  }

  private record Snapshot(Map<TaskType, TaskFamily> families, long readAt) {
    boolean isFresh() {
      return System.nanoTime() - readAt < FRESH.toNanos();
    }
  }
}
