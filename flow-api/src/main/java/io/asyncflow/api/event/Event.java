package io.asyncflow.api.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.asyncflow.api.RecordCopy;

/**
 * Something that happened to a task, a job or a schedule. It has neither context nor result: these
 * are in the task.
 *
 * @param id rises with time; of two events of a task, the later one has the higher id
 * @param time epoch milliseconds on the database's clock
 * @param kind what happened; {@code null} for a kind of a later version
 * @param taskId {@code null} for an event of a job or of a schedule
 * @param taskType the task's type; of a job its {@code jobType}, of a schedule the type of its
 *     target
 * @param taskStage the stage after the event
 * @param status code of the status after the event
 * @param leaseEpoch of the task's last hold
 * @param jobId the job, or the job that the task belongs to; {@code null} for none
 * @param scheduleId the schedule, or the schedule that created the task or the job; {@code null}
 *     for none
 * @param fireTime of that schedule
 * @param workerId the last holder; {@code null} for none
 * @param errMsg why it failed; {@code null} for none; may be cut
 * @param state the state of the job or of the schedule after the event
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Event(
    String id,
    Long time,
    EventKind kind,
    String taskId,
    String taskType,
    String taskStage,
    String userId,
    Integer status,
    Integer leaseEpoch,
    Integer crtRetryNum,
    String jobId,
    String scheduleId,
    Long fireTime,
    String workerId,
    String errMsg,
    String state) {

  private static final Event EMPTY =
      new Event(
          null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
          null);

  /** An event of a job. */
  public static Event ofJob(
      String jobId, String userId, String state, String scheduleId, Long fireTime, String errMsg) {
    return EMPTY
        .with("jobId", jobId)
        .with("userId", userId)
        .with("state", state)
        .with("scheduleId", scheduleId)
        .with("fireTime", fireTime)
        .with("errMsg", errMsg);
  }

  /** An event of a schedule. */
  public static Event ofSchedule(String scheduleId, String state, String errMsg) {
    return EMPTY.with("scheduleId", scheduleId).with("state", state).with("errMsg", errMsg);
  }

  /**
   * An event of a hook.
   *
   * @param stage of the tasks that deliver to it: {@code hook-} and its id
   */
  public static Event ofHook(String stage, String state, String errMsg) {
    return EMPTY.with("taskStage", stage).with("state", state).with("errMsg", errMsg);
  }

  /** This event as it was written: with its place in the log. */
  public Event written(String id, long time, EventKind kind, String taskType) {
    return with("id", id).with("time", time).with("kind", kind).with("taskType", taskType);
  }

  /** A copy with another message. */
  public Event withErrMsg(String message) {
    return with("errMsg", message);
  }

  private Event with(String component, Object value) {
    return RecordCopy.with(this, component, value);
  }
}
