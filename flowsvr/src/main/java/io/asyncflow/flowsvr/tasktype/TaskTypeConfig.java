package io.asyncflow.flowsvr.tasktype;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.rules.SealRule;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.TypeRules;
import io.asyncflow.rules.field.TaskTypeRanges;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.function.Consumer;
import org.hibernate.annotations.DynamicUpdate;

/**
 * The configuration of one task type, a row of {@code t_schedule_cfg}.
 *
 * <p>Rows are also written by SQL, so the getters clamp each value to its range in {@link
 * TaskTypeRanges}. Instances that {@link TaskTypes} returns are shared between threads and never
 * change.
 */
@Entity
@Table(name = "t_schedule_cfg")
@DynamicUpdate // a save must not overwrite columns that were changed meanwhile
public class TaskTypeConfig implements TypeRules {

  @Id
  @Column(name = "task_type")
  private String taskType;

  // The defaults of a new type, as in the table's definition.
  private int scheduleLimit = 100;
  private int scheduleInterval = 10;
  private int maxProcessingTime = 30;
  private int maxRetryNum = 3;
  private int retryInterval = 10;
  private Integer maxRetryInterval;
  private Integer maxUnexpectedRetries;
  private int leaseSeconds = 30;
  private int maxDelivery = 10;
  private long rollThreshold = 5_000_000;
  private int retentionDays;
  private int maxExecuting;
  private int rateLimit;
  private int userRateLimit;
  private int minWorkerVersion;
  private int paused;
  private int events;
  private int sealed;

  // The database writes these two.
  @Column(insertable = false, updatable = false)
  private LocalDateTime createTime;

  @Column(insertable = false, updatable = false)
  private LocalDateTime modifyTime;

  protected TaskTypeConfig() {}

  /** The configuration of a new type with these settings. */
  public static TaskTypeConfig of(TaskTypeSettings settings) {
    TaskTypeConfig config = new TaskTypeConfig();
    config.taskType = settings.taskType();
    config.change(settings);
    return config;
  }

  public TaskType type() {
    return TaskType.parse(taskType).orElseThrow();
  }

  /** The type's name as it was spelled in the save. */
  public String spelling() {
    return taskType;
  }

  /** The most tasks of a hold that names no limit. */
  public int scheduleLimit() {
    return TaskTypeRanges.SCHEDULE_LIMIT.clamp(scheduleLimit);
  }

  /** The longest attempt, counted from the hold. */
  @Override
  public Duration maxProcessingTime() {
    return Duration.ofSeconds(TaskTypeRanges.MAX_PROCESSING_TIME.clamp(maxProcessingTime));
  }

  /** The most retries of a stage; 0 for none. */
  @Override
  public int maxRetryNum() {
    return TaskTypeRanges.MAX_RETRY_NUM.clamp(maxRetryNum);
  }

  /** Seconds; see {@link io.asyncflow.rules.RetryPolicy#interval}. */
  @Override
  public int retryInterval() {
    return TaskTypeRanges.RETRY_INTERVAL.clamp(retryInterval);
  }

  /** Cap of the doubling retry delay in seconds; {@code null} for none. */
  @Override
  public Integer maxRetryInterval() {
    return maxRetryInterval == null
        ? null
        : TaskTypeRanges.MAX_RETRY_INTERVAL.clamp(maxRetryInterval);
  }

  /** The most retries after unexpected failures; {@code null} for the limit of all others. */
  @Override
  public Integer maxUnexpectedRetries() {
    return maxUnexpectedRetries == null
        ? null
        : TaskTypeRanges.MAX_UNEXPECTED_RETRIES.clamp(maxUnexpectedRetries);
  }

  @Override
  public Duration lease() {
    return Duration.ofSeconds(TaskTypeRanges.LEASE_SECONDS.clamp(leaseSeconds));
  }

  /** Holds in a row that may end without a report before the task counts as poison. */
  @Override
  public int maxDelivery() {
    return TaskTypeRanges.MAX_DELIVERY.clamp(maxDelivery);
  }

  /** Rows of a table at which the next one is used. */
  public long rollThreshold() {
    return TaskTypeRanges.ROLL_THRESHOLD.clamp(rollThreshold);
  }

  /** Days before a drained table is dropped; 0 for never. */
  public int retentionDays() {
    return TaskTypeRanges.RETENTION_DAYS.clamp(retentionDays);
  }

  /** The most tasks of the type that execute at the same time; 0 for no limit. */
  public int maxExecuting() {
    return TaskTypeRanges.MAX_EXECUTING.clamp(maxExecuting);
  }

  /** The most tasks held per second; 0 for no limit. */
  public int rateLimit() {
    return TaskTypeRanges.RATE_LIMIT.clamp(rateLimit);
  }

  /** The most tasks that a user may create per minute; 0 for no limit. */
  public int userRateLimit() {
    return TaskTypeRanges.USER_RATE_LIMIT.clamp(userRateLimit);
  }

  /** The lowest version of a worker whose holds get tasks; 0 for any. */
  public int minWorkerVersion() {
    return TaskTypeRanges.MIN_WORKER_VERSION.clamp(minWorkerVersion);
  }

  /** Whether holds get no tasks, while tasks can still be created. */
  public boolean paused() {
    return paused != 0;
  }

  /** Whether any events are written. */
  public boolean keepsEvents() {
    return TaskTypeRanges.EVENTS.clamp(events) > 0;
  }

  /** Whether events of this kind are written: 0 none, 1 ends, 2 all. */
  public boolean keeps(EventKind kind) {
    return TaskTypeRanges.EVENTS.clamp(events) >= (kind.isEnd() ? 1 : 2);
  }

  /** Whether the type takes sealed texts, plain ones, or both. */
  public SealRule sealRule() {
    return SealRule.of(sealed);
  }

  /** Sets every value that is not {@code null}; keeps the name. */
  final void change(TaskTypeSettings settings) {
    ifPresent(settings.scheduleLimit(), value -> scheduleLimit = value);
    ifPresent(settings.scheduleInterval(), value -> scheduleInterval = value);
    ifPresent(settings.maxProcessingTime(), value -> maxProcessingTime = value);
    ifPresent(settings.maxRetryNum(), value -> maxRetryNum = value);
    ifPresent(settings.retryInterval(), value -> retryInterval = value);
    ifPresent(settings.maxRetryInterval(), value -> maxRetryInterval = value);
    ifPresent(settings.maxUnexpectedRetries(), value -> maxUnexpectedRetries = value);
    ifPresent(settings.leaseSeconds(), value -> leaseSeconds = value);
    ifPresent(settings.maxDelivery(), value -> maxDelivery = value);
    ifPresent(settings.rollThreshold(), value -> rollThreshold = value);
    ifPresent(settings.retentionDays(), value -> retentionDays = value);
    ifPresent(settings.maxExecuting(), value -> maxExecuting = value);
    ifPresent(settings.rateLimit(), value -> rateLimit = value);
    ifPresent(settings.userRateLimit(), value -> userRateLimit = value);
    ifPresent(settings.minWorkerVersion(), value -> minWorkerVersion = value);
    ifPresent(settings.paused(), value -> paused = value);
    ifPresent(settings.events(), value -> events = value);
    ifPresent(settings.sealed(), value -> sealed = value);
  }

  void setPaused(boolean value) {
    paused = value ? 1 : 0;
  }

  final void remove(TaskTypeForm.Removable value) {
    switch (value) {
      case MAX_RETRY_INTERVAL -> maxRetryInterval = null;
      case MAX_UNEXPECTED_RETRIES -> maxUnexpectedRetries = null;
    }
  }

  /** The row as the API shows it: its values without clamping. */
  final TaskTypeSettings toSettings() {
    return new TaskTypeSettings(
        taskType,
        scheduleLimit,
        scheduleInterval,
        maxProcessingTime,
        maxRetryNum,
        retryInterval,
        maxRetryInterval,
        maxUnexpectedRetries,
        leaseSeconds,
        maxDelivery,
        rollThreshold,
        retentionDays,
        maxExecuting,
        rateLimit,
        userRateLimit,
        minWorkerVersion,
        paused,
        events,
        sealed,
        epochMs(createTime),
        epochMs(modifyTime));
  }

  private static <T> void ifPresent(T value, Consumer<T> setter) {
    if (value != null) {
      setter.accept(value);
    }
  }

  /** Database sessions run in UTC, so the columns are in UTC. */
  private static Long epochMs(LocalDateTime time) {
    return time == null ? null : time.toInstant(ZoneOffset.UTC).toEpochMilli();
  }
}
