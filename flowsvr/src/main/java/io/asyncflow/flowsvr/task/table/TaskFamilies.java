package io.asyncflow.flowsvr.task.table;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.TimedCache;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.table.schema.TaskTableStore;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * The tables of each type: looks them up, creates the first one when a type is used for the first
 * time, and makes the next one the end ({@link #advance}) when {@link NewTaskTables} rolls.
 *
 * <p>A family may be up to a second old: a position that another server has moved is seen a moment
 * later, so every caller must be correct with an old one. But a table or a type is reported as
 * missing only after a new read, because another server may have created the table, and returned a
 * task's id, a moment ago. Thread-safe.
 */
@Component
public class TaskFamilies {

  private static final Logger log = LoggerFactory.getLogger(TaskFamilies.class);

  private final SchedulePositions positions;
  private final RetryingTransactions transactions;
  private final TaskTableStore tables;
  private final TableLifeStore lives;
  private final TimedCache<Map<TaskType, TaskFamily>> families;
  private final Map<TaskType, Object> firstUse = new ConcurrentHashMap<>();

  public TaskFamilies(
      SchedulePositions positions,
      RetryingTransactions transactions,
      TaskTableStore tables,
      TableLifeStore lives,
      Node node) {
    this.positions = positions;
    this.transactions = transactions;
    this.tables = tables;
    this.lives = lives;
    this.families = new TimedCache<>(Map.of(), this::readAll, node::nanoTime);
  }

  /** The family of a configured type; its first table is created if there is none yet. */
  public TaskFamily of(TaskType type) {
    return find(type, Freshness.RECENT).orElseGet(() -> create(type));
  }

  /** The family of a type; empty if the type was never used. */
  public Optional<TaskFamily> find(TaskType type, Freshness freshness) {
    return Optional.ofNullable(read(freshness, known -> known.containsKey(type)).get(type));
  }

  /** The families of all types that were ever used. */
  public Collection<TaskFamily> all(Freshness freshness) {
    return read(freshness, known -> true).values();
  }

  /**
   * The families of all types that were ever used, as they were read at most so long ago. For a
   * caller that looks again soon anyway.
   */
  public Collection<TaskFamily> allWithin(Duration age) {
    return families.within(age).values();
  }

  /**
   * Those of the tables that can be read; at most one read for all of them.
   *
   * @param freshness with {@link Freshness#KNOWN}, a table that is not known is looked up
   */
  public Set<TaskTable> existing(Set<TaskTable> tables, Freshness freshness) {
    Predicate<Map<TaskType, TaskFamily>> hasAll =
        known -> tables.stream().allMatch(table -> has(known, table));
    if (freshness == Freshness.KNOWN && families.known().filter(hasAll).isPresent()) {
      return tables;
    }
    Map<TaskType, TaskFamily> seen =
        read(freshness == Freshness.KNOWN ? Freshness.RECENT : freshness, hasAll);
    return tables.stream().filter(table -> has(seen, table)).collect(toSet());
  }

  /** Whether tasks of this table can be read. */
  public boolean has(TaskTable table) {
    return !existing(Set.of(table), Freshness.RECENT).isEmpty();
  }

  /**
   * The numbers of these tasks by their tables, in the order in which tables are locked; without
   * those whose tables cannot be read.
   */
  public SortedMap<TaskTable, List<Long>> numbers(Stream<TaskId> tasks) {
    SortedMap<TaskTable, List<Long>> numbers =
        tasks.collect(groupingBy(TaskId::table, TreeMap::new, mapping(TaskId::number, toList())));
    if (!numbers.isEmpty()) {
      numbers.keySet().retainAll(existing(numbers.keySet(), Freshness.RECENT));
    }
    return numbers;
  }

  /** Whether the table existed and was given up. */
  public boolean hasDropped(TaskTable table) {
    return find(table.type(), Freshness.RECENT)
        .filter(family -> family.hasDropped(table))
        .isPresent();
  }

  private static boolean has(Map<TaskType, TaskFamily> known, TaskTable table) {
    return Optional.ofNullable(known.get(table.type()))
        .filter(family -> family.has(table))
        .isPresent();
  }

  /**
   * @param hasIt whether an answer contains what is asked for; one that does not is never an old
   *     answer, unless {@link Freshness#KNOWN} is enough
   */
  private Map<TaskType, TaskFamily> read(
      Freshness freshness, Predicate<Map<TaskType, TaskFamily>> hasIt) {
    return switch (freshness) {
      case KNOWN -> families.known().orElse(Map.of());
      case RECENT -> families.recentIf(hasIt);
      case NOW -> families.current();
    };
  }

  /**
   * Creates the table after {@code end} and makes it the end ({@link
   * SchedulePositions#advanceEnd}).
   *
   * @return whether this call moved the position; false if it had been moved already
   */
  public boolean advance(TaskTable end) {
    makeReady(new TaskTable(end.type(), end.number() + 1));
    boolean moved =
        transactions.retrying(() -> positions.advanceEnd(end.type().name(), end.number())) == 1;
    families.outdated();
    return moved;
  }

  /** See {@link SchedulePositions#allotRows}. */
  boolean allotRows(TaskTable end, long rows, long threshold) {
    return transactions.retrying(
            () -> positions.allotRows(end.type().name(), end.number(), rows, threshold))
        == 1;
  }

  /**
   * Creates the table in the shape of the template, unless it exists; several servers may do so at
   * the same time. Called before a position moves to the table, so that no position ever names a
   * missing table.
   */
  public void makeReady(TaskTable table) {
    tables.create(table);
    tables.shapeLikeTemplate(table);
    lives.insert(table);
  }

  /** Records that tasks of the type may have lanes from now on; claims then ask for these, too. */
  public void markLanes(TaskType type) {
    if (!find(type, Freshness.RECENT).filter(TaskFamily::hasLanes).isPresent()) {
      transactions.retrying(() -> positions.markLanes(type.name()));
      families.outdated();
    }
  }

  /** The family of a type that was used before, read after this call began. */
  public TaskFamily refreshed(TaskType type) {
    return Optional.ofNullable(families.current().get(type)).orElseThrow();
  }

  /** Discards the cached positions, because some were moved. */
  public void outdated() {
    families.outdated();
  }

  private TaskFamily create(TaskType type) {
    synchronized (firstUse.computeIfAbsent(type, t -> new Object())) {
      TaskFamily existing = families.recent().get(type);
      if (existing != null) {
        return existing;
      }
      makeReady(new TaskTable(type, 1));
      if (transactions.retrying(() -> positions.insertFirst(type.name())) == 1) {
        log.info("task type {} is used for the first time: created its first table", type);
      }
      families.outdated();
      return refreshed(type);
    }
  }

  private Map<TaskType, TaskFamily> readAll() {
    Map<TaskType, TaskFamily> found = new HashMap<>();
    for (SchedulePosition position : positions.findAll()) {
      TaskType.parse(position.taskType()).ifPresent(type -> found.put(type, position.family(type)));
    }
    return Map.copyOf(found);
  }
}
