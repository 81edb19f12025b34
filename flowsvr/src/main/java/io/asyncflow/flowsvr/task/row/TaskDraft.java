package io.asyncflow.flowsvr.task.row;

import io.asyncflow.rules.FireId;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;
import java.util.Set;

/**
 * A task to be created, validated and parsed.
 *
 * @param scheduleLog {@code null} for an empty one
 * @param priority seconds of head start; {@code null} for 0
 * @param delayMs milliseconds until it is due; {@code null} for none
 * @param runAt epoch ms from which it is due; {@code null} for none
 * @param maxRetryNum {@code null} for the type's value
 * @param maxRetryInterval seconds; {@code null} for the type's value
 * @param maxUnexpectedRetries {@code null} for the type's value
 * @param idempotencyKey {@code null} for none
 * @param keyOptions what to do with the key
 * @param fire the fire that creates it; {@code null} if no schedule does
 * @param workers the workers that may hold it; empty for all
 * @param traceParent of the call that creates it; {@code null} if that has none. It is no part of
 *     what the call asks for: a repeat of it has another one
 */
public record TaskDraft(
    String userId,
    TaskType type,
    String stage,
    String scheduleLog,
    String context,
    Integer priority,
    Long delayMs,
    Long runAt,
    Integer maxRetryNum,
    Integer maxRetryInterval,
    Integer maxUnexpectedRetries,
    String idempotencyKey,
    KeyOptions keyOptions,
    FireId fire,
    Set<String> workers,
    String traceParent) {

  /** A task that no schedule creates and every worker may hold, and whose key has no options. */
  public TaskDraft(
      String userId,
      TaskType type,
      String stage,
      String scheduleLog,
      String context,
      Integer priority,
      Long delayMs,
      Long runAt,
      Integer maxRetryNum,
      Integer maxRetryInterval,
      Integer maxUnexpectedRetries,
      String idempotencyKey) {
    this(
        userId,
        type,
        stage,
        scheduleLog,
        context,
        priority,
        delayMs,
        runAt,
        maxRetryNum,
        maxRetryInterval,
        maxUnexpectedRetries,
        idempotencyKey,
        KeyOptions.PLAIN,
        null,
        Set.of(),
        null);
  }

  /** A task that is due at once, with the retries of its type. */
  public static TaskDraft of(
      TaskType type, String stage, String userId, String context, Integer priority) {
    return new TaskDraft(
        userId, type, stage, null, context, priority, null, null, null, null, null, null);
  }

  /**
   * A copy of a task that has ended; its log names the original. It is not of the original's fire,
   * which has ended, too, and every worker may hold it. It goes on in the original's trace.
   *
   * @param idempotencyKey {@code null} for none
   */
  public static TaskDraft copyOf(TaskRow row, String idempotencyKey) {
    return new TaskDraft(
            row.userId(),
            row.id().type(),
            row.stage(),
            "{\"origin\":\"" + row.id() + "\"}",
            row.context(),
            row.priority(),
            null,
            null,
            row.maxRetryNum(),
            row.maxRetryInterval(),
            row.maxUnexpectedRetries(),
            idempotencyKey)
        .withTraceParent(row.traceParent());
  }

  /** Milliseconds from now until it is due, unless it has a {@code runAt}. */
  long dueIn() {
    return delayMs != null ? delayMs : -head() * 1000L;
  }

  /** Whether it is due when it is created, and not before but for its head start. */
  public boolean isDueAtOnce() {
    return runAt == null && dueIn() <= 0;
  }

  /** Seconds of head start. */
  int head() {
    return priority == null ? 0 : priority;
  }

  /** The row of the new task, but for its times and texts. */
  TaskRow waiting(TaskId id, JobPlace place) {
    return waiting(id, place, 0, "", "", 0);
  }

  /** The row of the new task, created now: epoch ms. */
  TaskRow waiting(TaskId id, JobPlace place, long now) {
    String body = context == null ? "" : context;
    String log = scheduleLog == null ? "" : scheduleLog;
    return waiting(id, place, runAt != null ? runAt : now + dueIn(), body, log, now);
  }

  private TaskRow waiting(
      TaskId id, JobPlace place, long orderTime, String body, String log, long now) {
    return TaskRow.waiting(
        id,
        userId,
        stage,
        head(),
        orderTime,
        maxRetryNum,
        maxRetryInterval,
        maxUnexpectedRetries,
        body,
        log,
        place,
        fire,
        traceParent,
        now);
  }

  /**
   * The row of a waiting or final task, which is locked, after this has become its body: it waits,
   * with all its retries. Reports of earlier holds are refused, but a repeated accepted report is
   * still recognized. The log stays, unless the body has one.
   *
   * @param lane of the workers of this body
   */
  public TaskRow renewing(TaskRow row, String lane) {
    TaskRow fresh = waiting(row.id(), null, row.now());
    return row.renewed(fresh).copy().lane(lane).row();
  }

  /** The same task with an idempotency key. */
  public TaskDraft withIdempotencyKey(String key) {
    return with(key, workers, traceParent);
  }

  /**
   * The same task for some workers.
   *
   * @param value their ids; empty for all workers
   */
  public TaskDraft withWorkers(Set<String> value) {
    return with(idempotencyKey, value, traceParent);
  }

  /**
   * The same task in the trace of a call.
   *
   * @param value {@code null} for none
   */
  public TaskDraft withTraceParent(String value) {
    return value == null && traceParent == null ? this : with(idempotencyKey, workers, value);
  }

  /**
   * The same task, in a trace if it says none itself.
   *
   * @param value {@code null} for none
   */
  public TaskDraft inTraceUnlessSaid(String value) {
    return traceParent == null ? withTraceParent(value) : this;
  }

  private TaskDraft with(String key, Set<String> forWorkers, String trace) {
    return new TaskDraft(
        userId,
        type,
        stage,
        scheduleLog,
        context,
        priority,
        delayMs,
        runAt,
        maxRetryNum,
        maxRetryInterval,
        maxUnexpectedRetries,
        key,
        keyOptions,
        fire,
        forWorkers,
        trace);
  }
}
