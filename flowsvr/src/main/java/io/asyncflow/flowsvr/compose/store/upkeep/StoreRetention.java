package io.asyncflow.flowsvr.compose.store.upkeep;

import io.asyncflow.api.StoreKey;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.compose.store.ContextStore;
import io.asyncflow.flowsvr.compose.store.ContextStore.Entry;
import io.asyncflow.flowsvr.compose.store.StoreProperties;
import io.asyncflow.rules.HoldFence;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/**
 * Removes objects to which no committed row refers or can refer later.
 *
 * <p>An object of a task stays
 *
 * <ul>
 *   <li>while it is younger than the grace period;
 *   <li>while its hold may report: it is the task's last hold and has not reported, so a report
 *       that names the object may be on its way or in a stopped worker's spool;
 *   <li>while the task's context or result names it, directly or through a stored text;
 *   <li>if it belongs to a job's split, stored by the hold that sent the children: their rows name
 *       it;
 *   <li>if it belongs to a hold later than the row that was read.
 * </ul>
 *
 * <p>When the task is dropped with its table, its objects are removed, except those named by a copy
 * that a retry has made.
 *
 * <p>This is correct without locks. A later report can name only the objects that the task's
 * context named when its hold began, and objects of that hold itself. So an object that the row
 * does not name cannot be named later, except objects of later holds, which stay. The objects are
 * listed after the row was read, so the list contains every text that the row names.
 *
 * <p>Each round examines a bounded number of tasks by primary key and continues where the previous
 * one stopped. After a full pass without removals the collector rests for a multiple of the pass's
 * duration, because requests to the store may cost money. May run on several servers at once.
 */
@Component
public class StoreRetention {

  private static final Logger log = LoggerFactory.getLogger(StoreRetention.class);

  /** Tasks whose rows are in memory at once. */
  private static final int PAGE = 250;

  private static final int PAGES_A_ROUND = 20;

  /** The rest after a full pass without removals, as a multiple of the pass's duration. */
  private static final int REST = 9;

  private static final Duration LONGEST_REST = Duration.ofDays(1);

  private final ContextStore store;
  private final LiveTasks tasks;
  private final References references;
  private final Node node;
  private final Duration grace;
  private String lookedAt = "";
  private long beganAt;
  private int removedSince;
  private long restUntil;

  @Autowired
  StoreRetention(ContextStore store, LiveTasks tasks, Node node, StoreProperties properties) {
    this(store, tasks, node, properties.grace());
  }

  public StoreRetention(ContextStore store, LiveTasks tasks, Node node, Duration grace) {
    this.store = store;
    this.tasks = tasks;
    this.references = new References(store);
    this.node = node;
    this.grace = grace;
    this.restUntil = node.nanoTime();
  }

  @Bean
  Duty storeRetentionDuty(DutyIntervals every) {
    return Duty.ofCleaning("store-retention", every, this::runOnce);
  }

  /** Runs a round; returns the number of removed objects, 0 while the collector rests. */
  public synchronized int runOnce() {
    Instant before = node.wallClock().minus(grace);
    try {
      store.tidy(before); // also while it rests: this costs no paid requests
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    boolean rests = node.nanoTime() - restUntil < 0;
    return rests ? 0 : runOnce(before);
  }

  /**
   * Examines the next tasks for objects stored before this moment.
   *
   * @throws UncheckedIOException if the store fails; the next round continues after the failing
   *     task
   */
  synchronized int runOnce(Instant before) {
    int removed = 0;
    if (lookedAt.isEmpty()) {
      beganAt = node.nanoTime();
      removedSince = 0;
    }
    try {
      for (int page = 0; page < PAGES_A_ROUND; page++) {
        List<String> ids = store.tasks(lookedAt, PAGE);
        removed += collectEach(ids, before);
        if (ids.size() < PAGE) {
          lookedAt = "";
          break;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    removedSince += removed;
    if (lookedAt.isEmpty() && removedSince == 0) {
      rest();
    }
    if (removed > 0) {
      log.info("removed {} objects to which nothing refers", removed);
    }
    return removed;
  }

  private void rest() {
    long now = node.nanoTime();
    restUntil = now + Math.min(REST * (now - beganAt), LONGEST_REST.toNanos());
  }

  /**
   * Examines tasks; a task with unreadable objects does not keep the others from being examined.
   */
  private int collectEach(List<String> taskIds, Instant before) throws IOException {
    try {
      int removed = collect(taskIds, before);
      lookedAt = taskIds.isEmpty() ? lookedAt : taskIds.get(taskIds.size() - 1);
      return removed;
    } catch (IOException e) {
      log.debug("examining {} tasks together failed: now one by one", taskIds.size(), e);
    }
    int removed = 0;
    for (String taskId : taskIds) {
      lookedAt = taskId;
      removed += collect(List.of(taskId), before);
    }
    return removed;
  }

  /** Removes objects of some tasks, with few requests to the store. */
  int collect(List<String> taskIds, Instant before) throws IOException {
    Map<String, List<Entry>> first = store.entries(taskIds);
    Map<String, Optional<TaskRow>> rows = new LinkedHashMap<>();
    for (String taskId : taskIds) {
      List<StoreKey> old = oldOf(first.getOrDefault(taskId, List.of()), before);
      Optional<TaskId> id = TaskId.parse(taskId);
      if (!old.isEmpty() && id.isPresent()) {
        Optional<TaskRow> row = tasks.find(id.get());
        if (row.isEmpty() || old.stream().anyMatch(key -> !isRetained(key, row.get()))) {
          rows.put(taskId, row);
        }
      }
    }
    if (rows.isEmpty()) {
      return 0;
    }
    Map<String, List<Entry>> entries =
        store.entries(List.copyOf(rows.keySet())); // after the rows were read, never before
    int removed = 0;
    for (String taskId : rows.keySet()) {
      removed +=
          collect(
              TaskId.parse(taskId).orElseThrow(),
              rows.get(taskId),
              entries.getOrDefault(taskId, List.of()),
              before);
    }
    return removed;
  }

  /**
   * @param found the task's row; empty if there is none
   * @param entries the task's objects, listed after the row was read
   */
  private int collect(TaskId id, Optional<TaskRow> found, List<Entry> entries, Instant before)
      throws IOException {
    List<StoreKey> old = oldOf(entries, before);
    if (old.isEmpty()) {
      return 0;
    }
    if (found.isEmpty()) {
      return tasks.isGone(id) ? remove(unnamedByCopies(id, old)) : 0;
    }
    TaskRow row = found.get();
    List<StoreKey> doubtful = old.stream().filter(key -> !isRetained(key, row)).toList();
    if (doubtful.isEmpty()) {
      return 0;
    }
    // Search all objects: a young text may name an old object.
    Set<StoreKey> named = references.among(entries.stream().map(Entry::key).toList(), textsOf(row));
    return remove(doubtful.stream().filter(key -> !named.contains(key)).toList());
  }

  /**
   * The objects of a dropped task that no copy of it names. A copy starts with the context of its
   * original, so as long as the original exists, its row names all that the copy can name.
   */
  private List<StoreKey> unnamedByCopies(TaskId id, List<StoreKey> old) throws IOException {
    Set<TaskId> copies = tasks.copiesOf(id); // after the task was seen to be gone: no copies follow
    List<String> texts = new ArrayList<>();
    for (TaskId copy : copies) {
      Optional<TaskRow> row = tasks.find(copy);
      if (row.isEmpty() && !tasks.isGone(copy)) {
        return List.of(); // its references are unknown
      }
      row.map(StoreRetention::textsOf).ifPresent(texts::addAll);
    }
    if (!tasks.copiesOf(id).equals(copies)) {
      return List.of(); // a dropped copy may have been copied since, and that row was not read
    }
    if (texts.isEmpty()) {
      return old;
    }
    Set<StoreKey> keys = new HashSet<>(old);
    for (TaskId copy : copies) { // after their rows were read; dropped copies included
      store.entries(copy.toString()).forEach(entry -> keys.add(entry.key()));
    }
    store.entries(id.toString()).forEach(entry -> keys.add(entry.key()));
    Set<StoreKey> named = references.among(keys, texts);
    return old.stream().filter(key -> !named.contains(key)).toList();
  }

  private static List<StoreKey> oldOf(List<Entry> entries, Instant before) {
    return entries.stream()
        .filter(entry -> entry.stored().isBefore(before))
        .map(Entry::key)
        .toList();
  }

  private static List<String> textsOf(TaskRow row) {
    return Stream.of(row.context(), row.result()).filter(Objects::nonNull).toList();
  }

  /** Whether an object stays regardless of the row's texts. */
  private static boolean isRetained(StoreKey key, TaskRow row) {
    // The hold is later than the row that was read, or the row is from a backup.
    boolean isLater = key.epoch() > row.leaseEpoch();
    return HoldFence.mayReport(row, key.epoch()) || isLater || isOfSplit(key, row);
  }

  private static boolean isOfSplit(StoreKey key, TaskRow row) {
    return row.place() != null
        && row.place().index() == JobPlace.SPLIT
        && key.epoch() == row.reportedEpoch();
  }

  private int remove(List<StoreKey> keys) throws IOException {
    for (StoreKey key : keys) {
      store.delete(key);
    }
    return keys.size();
  }
}
