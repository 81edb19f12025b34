package io.asyncflow.flowsvr.tasktype;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskTypeSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The configured task types, looked up in memory.
 *
 * <p>All rows are read in one statement, by one thread at a time: for a known type when what is
 * remembered is {@link #FRESH} old, so at most once a second however many ask, and never while
 * nobody does. For an unknown type they are read anew at once, since it may have been inserted by
 * SQL a moment ago, but a flood of unknown names gets one statement every {@link #MISS_PAUSE}.
 *
 * <p>While the database does not answer, one caller a second is told so; the others get what is
 * remembered at once, and find out by what they do next. So nobody waits for it twice. Thread-safe.
 */
@Component
public class TaskTypes {

  private static final Logger log = LoggerFactory.getLogger(TaskTypes.class);
  private static final long FRESH = Duration.ofSeconds(1).toNanos();
  private static final long MISS_PAUSE = Duration.ofMillis(25).toNanos();
  private static final long PATIENCE = Duration.ofMillis(500).toNanos();

  private final TaskTypeRows rows;
  private final TransactionTemplate transaction;
  private final LongSupplier nanoTime;
  private final ReentrantLock reading = new ReentrantLock();
  private final Set<String> ignored = new HashSet<>(); // guarded by reading
  private volatile Snapshot snapshot;
  private volatile long changedAt;

  @Autowired
  TaskTypes(TaskTypeRows rows, PlatformTransactionManager transactionManager) {
    this(rows, new TransactionTemplate(transactionManager), System::nanoTime);
  }

  TaskTypes(TaskTypeRows rows, TransactionTemplate transaction, LongSupplier nanoTime) {
    this.rows = rows;
    this.transaction = transaction;
    this.nanoTime = nanoTime;
    this.changedAt = nanoTime.getAsLong();
    this.snapshot = new Snapshot(Map.of(), changedAt - FRESH, null);
  }

  /**
   * The configuration of a type that a client names: one that was inserted before this call is
   * found, even if that takes a new look.
   *
   * @throws NoSuchTaskTypeException if it has none
   */
  public TaskTypeConfig require(TaskType type) {
    long now = nanoTime.getAsLong();
    Snapshot known = snapshotWith(type, now).orElseGet(() -> readSince(now));
    return Optional.ofNullable(known.types.get(type))
        .orElseThrow(() -> new NoSuchTaskTypeException(type));
  }

  /**
   * The configuration of a type, empty if it has none. Never waits for its turn, so it may be asked
   * for the types of a thousand forged ids; in return it can miss one that was inserted {@link
   * #MISS_PAUSE} ago.
   */
  public Optional<TaskTypeConfig> find(TaskType type) {
    long now = nanoTime.getAsLong();
    Snapshot known = snapshotWith(type, now).orElseGet(() -> readSince(now - MISS_PAUSE));
    return Optional.ofNullable(known.types.get(type));
  }

  /** Every type, by name; at most a second old. */
  public List<TaskTypeConfig> all() {
    long now = nanoTime.getAsLong();
    Snapshot remembered = snapshot;
    return List.copyOf((isFresh(remembered, now) ? remembered : refreshed(now)).types.values());
  }

  /** Every type, by name, as it is in the database now. */
  List<TaskTypeConfig> allNow() {
    return List.copyOf(readSince(nanoTime.getAsLong()).types.values());
  }

  /**
   * Makes a type or changes one, matched without regard to case; an existing one keeps its
   * spelling. In force here when it returns, and within a second on every other server.
   *
   * @param settings what is {@code null} stays, or has its default in a new type
   * @param removesMaxRetryInterval sets that one to {@code null}, which {@code settings} cannot say
   */
  void save(TaskTypeSettings settings, boolean removesMaxRetryInterval) {
    transaction.executeWithoutResult(
        status -> {
          TaskTypeConfig row = lockedRow(settings.taskType());
          row.change(settings);
          if (removesMaxRetryInterval) {
            row.removeMaxRetryInterval();
          }
        });
    changedAt = nanoTime.getAsLong();
  }

  private TaskTypeConfig lockedRow(String taskType) {
    return rows.findLocked(taskType)
        .orElseGet(
            () -> {
              rows.insertDefaults(taskType);
              return rows.findLocked(taskType).orElseThrow();
            });
  }

  /** Rows among which the type is, at most a second old; empty if it was not there. */
  private Optional<Snapshot> snapshotWith(TaskType type, long now) {
    Snapshot remembered = snapshot;
    if (!remembered.types.containsKey(type)) {
      return Optional.empty();
    }
    return Optional.of(isFresh(remembered, now) ? remembered : refreshed(now));
  }

  private boolean isFresh(Snapshot seen, long now) {
    return now - seen.asOf < FRESH && seen.asOf - changedAt >= 0;
  }

  /** Rows read at most a second ago, or what is remembered while another thread is long at it. */
  private Snapshot refreshed(long now) {
    long oldest = now - FRESH;
    long moment = oldest - changedAt > 0 ? oldest : changedAt;
    return awaitTurn() ? readInTurn(moment).orThrow() : snapshot;
  }

  /** What a reading brought that is not older than {@code moment}. */
  private Snapshot readSince(long moment) {
    if (!awaitTurn()) {
      throw new FlowException(ErrorCode.UNAVAILABLE, "the database is too slow");
    }
    return readInTurn(moment).orThrow();
  }

  /** Whoever waited while another thread read takes what that one got, if it is new enough. */
  private Snapshot readInTurn(long moment) {
    try {
      Snapshot seen = snapshot;
      if (seen.asOf - moment < 0) {
        LockSupport.parkNanos(seen.asOf + MISS_PAUSE - nanoTime.getAsLong());
        snapshot = read(seen);
      }
      return snapshot;
    } finally {
      reading.unlock();
    }
  }

  private boolean awaitTurn() {
    try {
      return reading.tryLock(PATIENCE, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private Snapshot read(Snapshot before) {
    long begin = nanoTime.getAsLong();
    try {
      Map<TaskType, TaskTypeConfig> types = byType(rows.findAll());
      return new Snapshot(types, begin, null);
    } catch (RuntimeException e) {
      return new Snapshot(before.types, nanoTime.getAsLong(), e);
    }
  }

  private Map<TaskType, TaskTypeConfig> byType(List<TaskTypeConfig> found) {
    Map<TaskType, TaskTypeConfig> types = new TreeMap<>(Comparator.comparing(TaskType::name));
    List<String> nonsense = new ArrayList<>();
    for (TaskTypeConfig row : found) {
      TaskType.parse(row.spelling())
          .ifPresentOrElse(type -> types.put(type, row), () -> nonsense.add(row.spelling()));
    }
    ignored.retainAll(nonsense);
    for (String name : nonsense) {
      if (ignored.add(name)) {
        log.warn("t_schedule_cfg has a row '{}', which no task type can be called; ignored", name);
      }
    }
    return types;
  }

  /**
   * What a reading brought.
   *
   * @param asOf the monotonic time when it began, since nothing younger is sure to be in it; when
   *     it failed, the time of the failure
   * @param failure why it brought nothing; then {@code types} are those of the one before
   */
  private record Snapshot(
      Map<TaskType, TaskTypeConfig> types, long asOf, RuntimeException failure) {

    Snapshot orThrow() {
      if (failure != null) {
        throw failure;
      }
      return this;
    }
  }
}
