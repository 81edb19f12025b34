package io.asyncflow.rules;

import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import java.util.Optional;

/**
 * A row of a task table, as it was read.
 *
 * @param maxRetryNum {@code null} for the type's value
 * @param maxRetryInterval seconds; {@code null} for the type's value
 * @param unexpectedNum unexpected failures of the current stage that did not count in {@code
 *     crtRetryNum}
 * @param maxUnexpectedRetries {@code null} for the type's value
 * @param endedByOperator whether an operator ended the last hold, or its lease
 * @param workerId the last holder; empty for an old client, or if there was none
 * @param traceId of the last hold; empty before the first
 * @param holdTime epoch ms of the last hold
 * @param beatTime epoch ms of the last heartbeat of the last hold; 0 if none came
 * @param leaseEnd epoch ms
 * @param place its role in a job; {@code null} outside jobs
 * @param fire the fire that created it; {@code null} if no schedule did. The tasks of a job have
 *     none: the job has
 * @param lane the {@link Lane} of the workers that may hold it; {@link Lane#OPEN} for all
 * @param traceParent of the call that created it; {@code null} if that had none
 * @param now the database's epoch ms when the row was read
 */
public record TaskRow(
    TaskId id,
    String userId,
    String stage,
    TaskStatus status,
    int priority,
    long orderTime,
    int crtRetryNum,
    Integer maxRetryNum,
    Integer maxRetryInterval,
    int unexpectedNum,
    Integer maxUnexpectedRetries,
    int leaseEpoch,
    int reportedEpoch,
    String reportId,
    int deliveryCount,
    boolean endedByOperator,
    String workerId,
    String traceId,
    long holdTime,
    long beatTime,
    long leaseEnd,
    Integer progress,
    long createTime,
    long modifyTime,
    String context,
    String result,
    String scheduleLog,
    JobPlace place,
    FireId fire,
    String lane,
    String traceParent,
    long now) {

  /** A new task, which has not been held yet. */
  public static TaskRow waiting(
      TaskId id,
      String userId,
      String stage,
      int priority,
      long orderTime,
      Integer maxRetryNum,
      Integer maxRetryInterval,
      Integer maxUnexpectedRetries,
      String context,
      String scheduleLog,
      JobPlace place,
      FireId fire,
      String traceParent,
      long now) {
    return new TaskRow(
        id,
        userId,
        stage,
        TaskStatus.WAITING,
        priority,
        orderTime,
        0,
        maxRetryNum,
        maxRetryInterval,
        0,
        maxUnexpectedRetries,
        0,
        0,
        null,
        0,
        false,
        "",
        "",
        0,
        0,
        0,
        null,
        now,
        now,
        context,
        null,
        scheduleLog,
        place,
        fire,
        Lane.OPEN,
        traceParent,
        now);
  }

  /**
   * Whether something else counts how the task ends: its job, or the schedule that created it. Then
   * its status is written under a lock, and the counts in the same transaction.
   */
  public boolean isLedgered() {
    return place != null || fire != null;
  }

  /** Whether it is a copy of a team, which stays with the worker that its job has chosen. */
  public boolean isCopy() {
    return place != null && place.copies() != null;
  }

  /** Since when a waiting task could have been held, whatever its head start. */
  public long dueTime() {
    return DueTime.of(orderTime, priority, modifyTime);
  }

  /** Whether a worker holds the task and its lease has not run out. */
  public boolean isUnderLiveLease() {
    return status == TaskStatus.EXECUTING && leaseEnd > now;
  }

  /**
   * This waiting row after a hold.
   *
   * @param holder empty for an old client
   * @param heldAt epoch ms of the hold
   * @param heldUntil epoch ms of the lease's end
   */
  public TaskRow held(String holder, String holdTrace, long heldAt, long heldUntil) {
    return copy()
        .status(TaskStatus.EXECUTING)
        .leaseEpoch(leaseEpoch + 1)
        .workerId(holder)
        .traceId(holdTrace)
        .holdTime(heldAt)
        .beatTime(0)
        .leaseEnd(heldUntil)
        .progress(null)
        .modifyTime(heldAt)
        .now(heldAt)
        .row();
  }

  /**
   * This row after a create has given it a new body: it waits, with all its retries, and earlier
   * holds may not report any more.
   *
   * @param body the row that the create would have inserted; an empty log keeps the log
   */
  public TaskRow renewed(TaskRow body) {
    return new TaskRow(
        id,
        body.userId,
        body.stage,
        TaskStatus.WAITING,
        body.priority,
        body.orderTime,
        0,
        body.maxRetryNum,
        body.maxRetryInterval,
        0,
        body.maxUnexpectedRetries,
        leaseEpoch,
        leaseEpoch,
        reportedEpoch == leaseEpoch ? reportId : null,
        0,
        endedByOperator,
        workerId,
        traceId,
        holdTime,
        beatTime,
        leaseEnd,
        null,
        createTime,
        body.modifyTime,
        body.context,
        null,
        body.scheduleLog.isEmpty() ? scheduleLog : body.scheduleLog,
        place,
        fire,
        body.lane,
        body.traceParent,
        body.now);
  }

  /** The retry policy of the task's stage. */
  public RetryPolicy retryPolicy(TypeRules type) {
    return type.retryPolicy(maxRetryNum, maxRetryInterval);
  }

  /**
   * The retry policy after unexpected failures of the task's stage; empty if these count as any
   * other failure.
   */
  public Optional<RetryPolicy> unexpectedRetryPolicy(TypeRules type) {
    Integer limit =
        maxUnexpectedRetries != null ? maxUnexpectedRetries : type.maxUnexpectedRetries();
    return limit == null
        ? Optional.empty()
        : Optional.of(type.retryPolicy(limit, maxRetryInterval));
  }

  /** The task as the API shows it. */
  public Task toTask(TypeRules type) {
    RetryPolicy retries = retryPolicy(type);
    Optional<RetryPolicy> unexpected = unexpectedRetryPolicy(type);
    return new Task(
        userId,
        id.toString(),
        id.type().name(),
        stage,
        status.code(),
        priority,
        orderTime,
        crtRetryNum,
        retries.maxRetries(),
        retries.cap(),
        unexpected.map(policy -> unexpectedNum).orElse(null),
        unexpected.map(RetryPolicy::maxRetries).orElse(null),
        scheduleLog,
        context,
        createTime,
        modifyTime,
        leaseEpoch,
        status == TaskStatus.EXECUTING ? Math.max(0, leaseEnd - now) : null,
        workerId.isEmpty() ? null : workerId,
        deliveryCount,
        traceId.isEmpty() ? null : traceId,
        place == null ? null : "" + place.jobId(),
        fire == null ? null : "" + fire.scheduleId(),
        fire == null ? null : fire.fireTime(),
        progress,
        result,
        null,
        place == null ? null : place.copy(),
        traceParent);
  }

  /** Starts a copy with changed columns. */
  public Copy copy() {
    return new Copy(this);
  }

  /** A builder of a changed row. Not thread-safe. */
  public static final class Copy {

    private final TaskRow original;
    private String userId;
    private String stage;
    private TaskStatus status;
    private int priority;
    private long orderTime;
    private int crtRetryNum;
    private Integer maxRetryNum;
    private Integer maxRetryInterval;
    private int unexpectedNum;
    private int leaseEpoch;
    private int reportedEpoch;
    private String reportId;
    private int deliveryCount;
    private boolean endedByOperator;
    private String workerId;
    private String traceId;
    private long holdTime;
    private long beatTime;
    private long leaseEnd;
    private Integer progress;
    private long modifyTime;
    private String context;
    private String result;
    private String scheduleLog;
    private String lane;
    private long now;

    private Copy(TaskRow row) {
      original = row;
      userId = row.userId;
      stage = row.stage;
      status = row.status;
      priority = row.priority;
      orderTime = row.orderTime;
      crtRetryNum = row.crtRetryNum;
      maxRetryNum = row.maxRetryNum;
      maxRetryInterval = row.maxRetryInterval;
      unexpectedNum = row.unexpectedNum;
      leaseEpoch = row.leaseEpoch;
      reportedEpoch = row.reportedEpoch;
      reportId = row.reportId;
      deliveryCount = row.deliveryCount;
      endedByOperator = row.endedByOperator;
      workerId = row.workerId;
      traceId = row.traceId;
      holdTime = row.holdTime;
      beatTime = row.beatTime;
      leaseEnd = row.leaseEnd;
      progress = row.progress;
      modifyTime = row.modifyTime;
      context = row.context;
      result = row.result;
      scheduleLog = row.scheduleLog;
      lane = row.lane;
      now = row.now;
    }

    public Copy userId(String value) {
      userId = value;
      return this;
    }

    public Copy stage(String value) {
      stage = value;
      return this;
    }

    public Copy status(TaskStatus value) {
      status = value;
      return this;
    }

    public Copy priority(int value) {
      priority = value;
      return this;
    }

    public Copy orderTime(long value) {
      orderTime = value;
      return this;
    }

    public Copy crtRetryNum(int value) {
      crtRetryNum = value;
      return this;
    }

    public Copy maxRetryNum(Integer value) {
      maxRetryNum = value;
      return this;
    }

    public Copy maxRetryInterval(Integer value) {
      maxRetryInterval = value;
      return this;
    }

    public Copy unexpectedNum(int value) {
      unexpectedNum = value;
      return this;
    }

    public Copy leaseEpoch(int value) {
      leaseEpoch = value;
      return this;
    }

    public Copy reportedEpoch(int value) {
      reportedEpoch = value;
      return this;
    }

    public Copy reportId(String value) {
      reportId = value;
      return this;
    }

    public Copy deliveryCount(int value) {
      deliveryCount = value;
      return this;
    }

    public Copy endedByOperator(boolean value) {
      endedByOperator = value;
      return this;
    }

    public Copy workerId(String value) {
      workerId = value;
      return this;
    }

    public Copy traceId(String value) {
      traceId = value;
      return this;
    }

    public Copy holdTime(long value) {
      holdTime = value;
      return this;
    }

    public Copy beatTime(long value) {
      beatTime = value;
      return this;
    }

    public Copy leaseEnd(long value) {
      leaseEnd = value;
      return this;
    }

    public Copy progress(Integer value) {
      progress = value;
      return this;
    }

    public Copy modifyTime(long value) {
      modifyTime = value;
      return this;
    }

    public Copy context(String value) {
      context = value;
      return this;
    }

    public Copy result(String value) {
      result = value;
      return this;
    }

    public Copy scheduleLog(String value) {
      scheduleLog = value;
      return this;
    }

    public Copy lane(String value) {
      lane = value;
      return this;
    }

    public Copy now(long value) {
      now = value;
      return this;
    }

    public TaskRow row() {
      return new TaskRow(
          original.id,
          userId,
          stage,
          status,
          priority,
          orderTime,
          crtRetryNum,
          maxRetryNum,
          maxRetryInterval,
          unexpectedNum,
          original.maxUnexpectedRetries,
          leaseEpoch,
          reportedEpoch,
          reportId,
          deliveryCount,
          endedByOperator,
          workerId,
          traceId,
          holdTime,
          beatTime,
          leaseEnd,
          progress,
          original.createTime,
          modifyTime,
          context,
          result,
          scheduleLog,
          original.place,
          original.fire,
          lane,
          original.traceParent,
          now);
    }
  }
}
