package io.asyncflow.flowsvr.task.type;

import io.asyncflow.api.RecordCopy;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.TypeSetting;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.rules.SealRule;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.TypeRules;
import jakarta.persistence.AttributeConverter;
import jakarta.persistence.AttributeOverride;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/**
 * The configuration of one task type, a row of {@code t_schedule_cfg}.
 *
 * <p>Rows are also written by SQL, so the getters clamp each value to its range in {@link
 * TypeSetting}. Instances that {@link TaskTypes} returns are shared between threads and never
 * change.
 */
@Entity
@Table(name = "t_schedule_cfg")
public class TaskTypeConfig implements TypeRules {

  @Id
  @Column(name = "task_type")
  private String taskType;

  @Embedded
  @AttributeOverride(
      name = "taskType",
      column = @Column(name = "task_type", insertable = false, updatable = false))
  @AttributeOverride(
      name = "createTime",
      column = @Column(name = "create_time", insertable = false, updatable = false))
  @AttributeOverride(
      name = "modifyTime",
      column = @Column(name = "modify_time", insertable = false, updatable = false))
  @Convert(attributeName = "createTime", converter = EpochMs.class)
  @Convert(attributeName = "modifyTime", converter = EpochMs.class)
  private TaskTypeSettings settings;

  protected TaskTypeConfig() {}

  /** The configuration of a new type with these settings. */
  public static TaskTypeConfig of(TaskTypeSettings settings) {
    TaskTypeConfig config = new TaskTypeConfig();
    config.taskType = settings.taskType();
    config.settings = TypeSetting.settings(settings.taskType(), TypeSetting::usual);
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
    return TypeSetting.SCHEDULE_LIMIT.clamp(settings.scheduleLimit());
  }

  /** The longest attempt, counted from the hold. */
  @Override
  public Duration maxProcessingTime() {
    return Duration.ofSeconds(TypeSetting.MAX_PROCESSING_TIME.clamp(settings.maxProcessingTime()));
  }

  /** The most retries of a stage; 0 for none. */
  @Override
  public int maxRetryNum() {
    return TypeSetting.MAX_RETRY_NUM.clamp(settings.maxRetryNum());
  }

  /** Seconds; see {@link io.asyncflow.rules.RetryPolicy#interval}. */
  @Override
  public int retryInterval() {
    return TypeSetting.RETRY_INTERVAL.clamp(settings.retryInterval());
  }

  /** Cap of the doubling retry delay in seconds; {@code null} for none. */
  @Override
  public Integer maxRetryInterval() {
    return settings.maxRetryInterval() == null
        ? null
        : TypeSetting.MAX_RETRY_INTERVAL.clamp(settings.maxRetryInterval());
  }

  /** The most retries after unexpected failures; {@code null} for the limit of all others. */
  @Override
  public Integer maxUnexpectedRetries() {
    return settings.maxUnexpectedRetries() == null
        ? null
        : TypeSetting.MAX_UNEXPECTED_RETRIES.clamp(settings.maxUnexpectedRetries());
  }

  @Override
  public Duration lease() {
    return Duration.ofSeconds(TypeSetting.LEASE_SECONDS.clamp(settings.leaseSeconds()));
  }

  /** Holds in a row that may end without a report before the task counts as poison. */
  @Override
  public int maxDelivery() {
    return TypeSetting.MAX_DELIVERY.clamp(settings.maxDelivery());
  }

  /** Rows of a table at which the next one is used. */
  public long rollThreshold() {
    return TypeSetting.ROLL_THRESHOLD.clamp(settings.rollThreshold());
  }

  /** Days before a drained table is dropped; 0 for never. */
  public int retentionDays() {
    return TypeSetting.RETENTION_DAYS.clamp(settings.retentionDays());
  }

  /** The most tasks of the type that execute at the same time; 0 for no limit. */
  public int maxExecuting() {
    return TypeSetting.MAX_EXECUTING.clamp(settings.maxExecuting());
  }

  /** The most tasks held per second; 0 for no limit. */
  public int rateLimit() {
    return TypeSetting.RATE_LIMIT.clamp(settings.rateLimit());
  }

  /** The most tasks that a user may create per minute; 0 for no limit. */
  public int userRateLimit() {
    return TypeSetting.USER_RATE_LIMIT.clamp(settings.userRateLimit());
  }

  /** The lowest version of a worker whose holds get tasks; 0 for any. */
  public int minWorkerVersion() {
    return TypeSetting.MIN_WORKER_VERSION.clamp(settings.minWorkerVersion());
  }

  /** Whether holds get no tasks, while tasks can still be created. */
  public boolean paused() {
    return settings.paused() != 0;
  }

  /** Whether any events are written. */
  public boolean keepsEvents() {
    return TypeSetting.EVENTS.clamp(settings.events()) > 0;
  }

  /** Whether events of this kind are written: 0 none, 1 ends, 2 all. */
  public boolean keeps(EventKind kind) {
    return TypeSetting.EVENTS.clamp(settings.events()) >= (kind.isEnd() ? 1 : 2);
  }

  /** Whether the type takes sealed texts, plain ones, or both. */
  public SealRule sealRule() {
    return SealRule.of(settings.sealed());
  }

  /** Sets every value that is not {@code null}; keeps the name. */
  final void change(TaskTypeSettings changes) {
    settings = RecordCopy.with(settings, TypeSetting.given(changes));
  }

  void setPaused(boolean value) {
    settings = settings.withPaused(value ? 1 : 0);
  }

  final void remove(TypeSetting setting) {
    settings = RecordCopy.with(settings, setting.component(), null);
  }

  /** The row as the API shows it: its values without clamping. */
  final TaskTypeSettings toSettings() {
    return settings;
  }

  /** Database sessions run in UTC, so the columns are in UTC. */
  static final class EpochMs implements AttributeConverter<Long, LocalDateTime> {

    @Override
    public LocalDateTime convertToDatabaseColumn(Long epochMs) {
      return epochMs == null
          ? null
          : LocalDateTime.ofInstant(Instant.ofEpochMilli(epochMs), ZoneOffset.UTC);
    }

    @Override
    public Long convertToEntityAttribute(LocalDateTime time) {
      return time == null ? null : time.toInstant(ZoneOffset.UTC).toEpochMilli();
    }
  }
}
