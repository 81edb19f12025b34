package io.asyncflow.flowsvr.tasktype;

import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.TypeRules;
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
 * <p>Rows are also written by hand, so the getters bring what they find into the range of {@link
 * TaskTypeRanges}: a type with nonsense in a column works with the nearest sense. Instances that
 * {@link TaskTypes} hands out are shared between threads and never change.
 */
@Entity
@Table(name = "t_schedule_cfg")
@DynamicUpdate // a save must not write back what somebody else changed meanwhile
public class TaskTypeConfig implements TypeRules {

  @Id
  @Column(name = "task_type")
  private String taskType;

  // The values of a new type, as in the table's definition.
  private int scheduleLimit = 100;
  private int scheduleInterval = 10;
  private int maxProcessingTime = 30;
  private int maxRetryNum = 3;
  private int retryInterval = 10;
  private Integer maxRetryInterval;
  private int leaseSeconds = 30;
  private int maxDelivery = 10;
  private long rollThreshold = 5_000_000;
  private int retentionDays;
  private int maxExecuting;
  private int rateLimit;
  private int paused;

  // The database keeps these two.
  @Column(insertable = false, updatable = false)
  private LocalDateTime createTime;

  @Column(insertable = false, updatable = false)
  private LocalDateTime modifyTime;

  protected TaskTypeConfig() {}

  /** A type as it would be after these settings were saved for the first time. */
  public static TaskTypeConfig of(TaskTypeSettings settings) {
    TaskTypeConfig config = new TaskTypeConfig();
    config.taskType = settings.taskType();
    config.change(settings);
    return config;
  }

  public TaskType type() {
    return TaskType.parse(taskType).orElseThrow();
  }

  /** The type's name as it was given. */
  public String spelling() {
    return taskType;
  }

  /** Tasks a hold, for one that does not say how many. */
  public int scheduleLimit() {
    return TaskTypeRanges.SCHEDULE_LIMIT.clamp(scheduleLimit);
  }

  /** Length of a long poll, or the pause between polls. */
  public Duration scheduleInterval() {
    return Duration.ofSeconds(TaskTypeRanges.SCHEDULE_INTERVAL.clamp(scheduleInterval));
  }

  /** Hard end of one attempt, from the hold. */
  @Override
  public Duration maxProcessingTime() {
    return Duration.ofSeconds(TaskTypeRanges.MAX_PROCESSING_TIME.clamp(maxProcessingTime));
  }

  /** Retries of a stage; 0 for none. */
  @Override
  public int maxRetryNum() {
    return TaskTypeRanges.MAX_RETRY_NUM.clamp(maxRetryNum);
  }

  /** Seconds; what it means depends on its sign and on the cap. */
  @Override
  public int retryInterval() {
    return TaskTypeRanges.RETRY_INTERVAL.clamp(retryInterval);
  }

  /** Seconds; cap of the doubling, {@code null} for none. */
  @Override
  public Integer maxRetryInterval() {
    return maxRetryInterval == null
        ? null
        : TaskTypeRanges.MAX_RETRY_INTERVAL.clamp(maxRetryInterval);
  }

  @Override
  public Duration lease() {
    return Duration.ofSeconds(TaskTypeRanges.LEASE_SECONDS.clamp(leaseSeconds));
  }

  /** Holds in a row that may end without a report before a task is quarantined. */
  @Override
  public int maxDelivery() {
    return TaskTypeRanges.MAX_DELIVERY.clamp(maxDelivery);
  }

  /** Rows in a table before the next one is begun. */
  public long rollThreshold() {
    return TaskTypeRanges.ROLL_THRESHOLD.clamp(rollThreshold);
  }

  /** Days before a drained table is dropped; 0 for ever. */
  public int retentionDays() {
    return TaskTypeRanges.RETENTION_DAYS.clamp(retentionDays);
  }

  /** Tasks of the type executing at once; 0 for no limit. */
  public int maxExecuting() {
    return TaskTypeRanges.MAX_EXECUTING.clamp(maxExecuting);
  }

  /** Holds of tasks a second; 0 for no limit. */
  public int rateLimit() {
    return TaskTypeRanges.RATE_LIMIT.clamp(rateLimit);
  }

  /** Whether holds get nothing, while creates go on. */
  public boolean paused() {
    return paused != 0;
  }

  /** Takes over every value that is not {@code null}; the name stays. */
  final void change(TaskTypeSettings to) {
    ifGiven(to.scheduleLimit(), value -> scheduleLimit = value);
    ifGiven(to.scheduleInterval(), value -> scheduleInterval = value);
    ifGiven(to.maxProcessingTime(), value -> maxProcessingTime = value);
    ifGiven(to.maxRetryNum(), value -> maxRetryNum = value);
    ifGiven(to.retryInterval(), value -> retryInterval = value);
    ifGiven(to.maxRetryInterval(), value -> maxRetryInterval = value);
    ifGiven(to.leaseSeconds(), value -> leaseSeconds = value);
    ifGiven(to.maxDelivery(), value -> maxDelivery = value);
    ifGiven(to.rollThreshold(), value -> rollThreshold = value);
    ifGiven(to.retentionDays(), value -> retentionDays = value);
    ifGiven(to.maxExecuting(), value -> maxExecuting = value);
    ifGiven(to.rateLimit(), value -> rateLimit = value);
    ifGiven(to.paused(), value -> paused = value);
  }

  final void removeMaxRetryInterval() {
    maxRetryInterval = null;
  }

  /** The row as it is answered on the wire: what stands in it, sense or not. */
  final TaskTypeSettings toSettings() {
    return new TaskTypeSettings(
        taskType,
        scheduleLimit,
        scheduleInterval,
        maxProcessingTime,
        maxRetryNum,
        retryInterval,
        maxRetryInterval,
        leaseSeconds,
        maxDelivery,
        rollThreshold,
        retentionDays,
        maxExecuting,
        rateLimit,
        paused,
        epochMs(createTime),
        epochMs(modifyTime));
  }

  private static <T> void ifGiven(T value, Consumer<T> setter) {
    if (value != null) {
      setter.accept(value);
    }
  }

  /** Sessions run in UTC, so that is what the database wrote. */
  private static Long epochMs(LocalDateTime time) {
    return time == null ? null : time.toInstant(ZoneOffset.UTC).toEpochMilli();
  }
}
