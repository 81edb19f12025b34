package io.asyncflow.flowsvr.tasktable;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.concurrent.TimedCache;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Looks up the tables of a type, and makes the first one when a type is used for the first time.
 *
 * <p>Thread-safe. What it answers may be a second old: a position that another server has moved
 * since is seen a moment later, and every user of a family must be right all the same. Only "there
 * is none" is never an old answer, because another server may have made the table, and told its
 * caller a task's id, a moment ago.
 */
@Component
public class TaskFamilies {

  private static final Logger log = LoggerFactory.getLogger(TaskFamilies.class);

  private final SchedulePositions positions;
  private final TaskTableStore tables;
  private final TableLifeStore lives;
  private final TimedCache<Map<TaskType, TaskFamily>> families;
  private final Map<TaskType, Object> firstUse = new ConcurrentHashMap<>();

  TaskFamilies(
      SchedulePositions positions, TaskTableStore tables, TableLifeStore lives, Node node) {
    this.positions = positions;
    this.tables = tables;
    this.lives = lives;
    this.families = new TimedCache<>(Map.of(), this::read, node::nanoTime);
  }

  /** The family of a configured type; its first table is made if there is none yet. */
  public TaskFamily of(TaskType type) {
    return find(type).orElseGet(() -> create(type));
  }

  /** The family of a type; empty if the type was never used. */
  public Optional<TaskFamily> find(TaskType type) {
    return Optional.ofNullable(families.recentIf(known -> known.containsKey(type)).get(type));
  }

  /**
   * The family of a type as somebody read it last, however long ago; never reads. For who finds out
   * by itself that it has changed.
   */
  public Optional<TaskFamily> known(TaskType type) {
    return families.known().map(known -> known.get(type));
  }

  /** The family that this table belongs to; empty if the table was never made. */
  public Optional<TaskFamily> having(TaskTable table) {
    return find(families.recentIf(known -> find(known, table).isPresent()), table);
  }

  /** Whether the table was there once, and was dropped when its time was up. */
  public boolean hasDropped(TaskTable table) {
    return find(table.type()).filter(family -> family.hasDropped(table)).isPresent();
  }

  /** Whether a task of this table can be read; false for a table that was never made. */
  public boolean has(TaskTable table) {
    return having(table).isPresent();
  }

  /** Those of the tables that can be read; one look for all of them. */
  public Set<TaskTable> existing(Set<TaskTable> tables) {
    Map<TaskType, TaskFamily> seen = families.recentIf(known -> haveAll(known, tables));
    return tables.stream().filter(table -> find(seen, table).isPresent()).collect(toSet());
  }

  /** The same, without a connection if all of them were there when somebody looked last. */
  public Set<TaskTable> known(Set<TaskTable> tables) {
    boolean areKnown = families.known().filter(known -> haveAll(known, tables)).isPresent();
    return areKnown ? tables : existing(tables);
  }

  private static boolean haveAll(Map<TaskType, TaskFamily> known, Set<TaskTable> tables) {
    return tables.stream().allMatch(table -> find(known, table).isPresent());
  }

  private static Optional<TaskFamily> find(Map<TaskType, TaskFamily> known, TaskTable table) {
    return Optional.ofNullable(known.get(table.type())).filter(family -> family.has(table));
  }

  /**
   * The families of all types that were ever used, as somebody read them at most so long ago. For
   * who looks again soon anyway.
   */
  public Iterable<TaskFamily> allWithin(Duration age) {
    return families.within(age).values();
  }

  /** The families of all types that were ever used. */
  public Iterable<TaskFamily> all() {
    return families.recent().values();
  }

  /** The family of a type with every table that was made before this call, by any server. */
  public Optional<TaskFamily> findNow(TaskType type) {
    return Optional.ofNullable(families.currentAtOnce().get(type));
  }

  /** All families, each with every table that was made before this call, by any server. */
  public Iterable<TaskFamily> allNow() {
    return families.currentAtOnce().values();
  }

  /**
   * Makes the table after {@code end} and moves new tasks there.
   *
   * @return whether this call moved the position; false if somebody else had done so before
   */
  public boolean advance(TaskTable end) {
    makeReady(new TaskTable(end.type(), end.number() + 1));
    boolean moved = positions.advanceEnd(end.type().name(), end.number()) == 1;
    families.outdated();
    return moved;
  }

  /**
   * Makes the table, whole and like the template, unless it is there; harmless in the hands of
   * several servers. Comes before any position: nobody must ever be sent to a missing table.
   */
  void makeReady(TaskTable table) {
    tables.create(table);
    tables.shapeOf(table).changesTo(tables.templateShape()).forEach(c -> tables.alter(table, c));
    lives.insert(table);
  }

  /** The family of a type that was used before, not older than this call. */
  TaskFamily refreshed(TaskType type) {
    return Optional.ofNullable(families.current().get(type)).orElseThrow();
  }

  /** Positions were moved: nobody is given what was read before. */
  void outdated() {
    families.outdated();
  }

  private TaskFamily create(TaskType type) {
    synchronized (firstUse.computeIfAbsent(type, t -> new Object())) {
      TaskFamily madeMeanwhile = families.recent().get(type);
      if (madeMeanwhile != null) {
        return madeMeanwhile;
      }
      makeReady(new TaskTable(type, 1));
      if (positions.insertFirst(type.name()) == 1) {
        log.info("task type {} is used for the first time: made its first table", type);
      }
      families.outdated();
      return refreshed(type);
    }
  }

  private Map<TaskType, TaskFamily> read() {
    Map<TaskType, TaskFamily> found = new HashMap<>();
    for (SchedulePosition position : positions.findAll()) {
      TaskType.parse(position.taskType()).ifPresent(type -> found.put(type, position.family(type)));
    }
    return Map.copyOf(found);
  }
}
