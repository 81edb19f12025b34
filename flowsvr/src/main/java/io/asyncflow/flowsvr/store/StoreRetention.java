package io.asyncflow.flowsvr.store;

import io.asyncflow.api.StoreKey;
import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.store.ContextStore.Entry;
import io.asyncflow.flowsvr.system.Node;
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
 * Removes objects to which no committed row refers, and to which none can refer any more.
 *
 * <p>An object of a task stays
 *
 * <ul>
 *   <li>while it is young, whatever refers to it;
 *   <li>while its hold may report: that is the last one and has not, so the report that names it
 *       may be on its way, or in the spool of a worker that is switched off;
 *   <li>while the task's context or result names it, or names a stored text that does;
 *   <li>if it is of the split of a job, by the hold whose children these are: their rows name it;
 *   <li>if it is of a hold that the row does not know yet.
 * </ul>
 *
 * <p>When the task is dropped with its table, its objects go, but for those that a copy names which
 * a retry has made of it.
 *
 * <p>That is right at any moment, and needs no lock. A later report can name what the task's
 * context named when its hold began, and what that hold has stored itself. So what the row does not
 * name is named by none after it, but for the objects of later holds, which stay. And the objects
 * are listed after the row was read: each text that the row names is among them.
 *
 * <p>Each round looks at a bounded number of tasks, each by its primary key, and goes on where the
 * one before stopped. When all were looked at and nothing was to be removed, it rests for some
 * times as long as that took: each look costs questions to the store, which may be paid for.
 * Harmless on several servers.
 */
@Component
public class StoreRetention {

  private static final Logger log = LoggerFactory.getLogger(StoreRetention.class);

  /** Tasks whose rows are in memory at once. */
  private static final int PAGE = 250;

  private static final int PAGES_A_ROUND = 20;

  /** For how many times as long as all tasks took it rests where it has removed nothing. */
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

  StoreRetention(ContextStore store, LiveTasks tasks, Node node, Duration grace) {
    this.store = store;
    this.tasks = tasks;
    this.references = new References(store);
    this.node = node;
    this.grace = grace;
    this.restUntil = node.nanoTime();
  }

  @Bean
  Duty storeRetentionDuty(DutyIntervals every) {
    return Duty.ofLeader("store-retention", every.cleaning(), this::runOnce);
  }

  /** Returns how many objects were removed; none while it rests. */
  synchronized int runOnce() {
    Instant before = node.wallClock().minus(grace);
    try {
      store.tidy(before); // while it rests, too: no store asks to be paid for that
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    boolean rests = node.nanoTime() - restUntil < 0;
    return rests ? 0 : runOnce(before);
  }

  /**
   * Looks at the next tasks, for what was stored before this moment.
   *
   * @throws UncheckedIOException if the store fails; the tasks after it are looked at next time
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
        removed += collectAndGoOn(ids, before);
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

  /** One task whose objects cannot be read must not keep all others from being looked at. */
  private int collectAndGoOn(List<String> taskIds, Instant before) throws IOException {
    try {
      int removed = collect(taskIds, before);
      lookedAt = taskIds.isEmpty() ? lookedAt : taskIds.get(taskIds.size() - 1);
      return removed;
    } catch (IOException e) {
      log.debug("some of {} tasks cannot be looked at: now one by one", taskIds.size(), e);
    }
    int removed = 0;
    for (String taskId : taskIds) {
      lookedAt = taskId;
      removed += collect(List.of(taskId), before);
    }
    return removed;
  }

  /** Removes what may go of some tasks, by few questions to the store. */
  private int collect(List<String> taskIds, Instant before) throws IOException {
    Map<String, List<Entry>> first = store.entries(taskIds);
    Map<String, Optional<TaskRow>> rows = new LinkedHashMap<>();
    for (String taskId : taskIds) {
      List<StoreKey> old = oldOf(first.getOrDefault(taskId, List.of()), before);
      Optional<TaskId> id = TaskId.parse(taskId);
      if (!old.isEmpty() && id.isPresent()) {
        Optional<TaskRow> row = tasks.find(id.get());
        if (row.isEmpty() || old.stream().anyMatch(key -> !isSpokenFor(key, row.get()))) {
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

  /** Removes what may go of one task. */
  int collect(TaskId id, Instant before) throws IOException {
    return collect(List.of(id.toString()), before);
  }

  /**
   * @param found its row, empty if there is none
   * @param entries its objects, listed after the row was read
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
    List<StoreKey> doubtful = old.stream().filter(key -> !isSpokenFor(key, row)).toList();
    if (doubtful.isEmpty()) {
      return 0;
    }
    // Among all of them: a young text may name an old object.
    Set<StoreKey> named = references.among(entries.stream().map(Entry::key).toList(), textsOf(row));
    return remove(doubtful.stream().filter(key -> !named.contains(key)).toList());
  }

  /**
   * Those of a task that is gone which no copy of it names. A copy began with the context of its
   * original, and as long as there is the original, its row names all that the copy can.
   */
  private List<StoreKey> unnamedByCopies(TaskId id, List<StoreKey> old) throws IOException {
    Set<TaskId> copies = tasks.copiesOf(id); // after it was seen to be gone: it gets no more
    List<String> texts = new ArrayList<>();
    for (TaskId copy : copies) {
      Optional<TaskRow> row = tasks.find(copy);
      if (row.isEmpty() && !tasks.isGone(copy)) {
        return List.of(); // nobody knows what it names
      }
      row.map(StoreRetention::textsOf).ifPresent(texts::addAll);
    }
    if (!tasks.copiesOf(id).equals(copies)) {
      return List.of(); // one that is gone may have been copied since: that one's row was not read
    }
    if (texts.isEmpty()) {
      return old;
    }
    Set<StoreKey> keys = new HashSet<>(old);
    for (TaskId copy : copies) { // after their rows were read, and of those that are gone, too
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

  /** Whether an object stays, whatever the row's texts say. */
  private static boolean isSpokenFor(StoreKey key, TaskRow row) {
    // Of a hold that came after the row was read; or the row is from a backup.
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
