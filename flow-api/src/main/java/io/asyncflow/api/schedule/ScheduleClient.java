package io.asyncflow.api.schedule;

import io.asyncflow.api.Answer;
import io.asyncflow.api.Call;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Transport;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The calls of flowsvr's contract about schedules; see {@link FlowClient} for the exceptions. Every
 * call that names a schedule throws a {@link FlowException} with {@link ErrorCode#NO_SUCH_SCHEDULE}
 * if there is none. Thread-safe.
 *
 * @param transport sends the calls
 */
public record ScheduleClient(Transport transport) {

  private static final Answer<List<SavedSchedule>> SAVED_LIST =
      Answer.of(SavedList.class, SavedList::savedList);
  private static final Answer<Schedule> SCHEDULE = Answer.of(Found.class, Found::scheduleData);

  private record SavedList(List<SavedSchedule> savedList) {}

  private record Found(Schedule scheduleData) {}

  /**
   * Creates or changes the schedule of this name. A save of the same definition writes nothing, so
   * every instance of an application may save its schedules at its start.
   *
   * @throws FlowException with {@link ErrorCode#INVALID_INPUT} if a field is invalid or the plan
   *     never fires, with {@link ErrorCode#NO_SUCH_TASK_TYPE} if the type of its task or job is
   *     unknown
   */
  public SavedSchedule save(NewSchedule schedule) {
    return transport.send(
        Call.to("/api/schedule/save", SavedSchedule.class).with("scheduleData", schedule));
  }

  /**
   * As {@link #save(NewSchedule)}, but only if no caller has changed the schedule since it was
   * read.
   *
   * @param ifVersion the {@link Schedule#version()} that was read; 0 if there must be no schedule
   * @throws FlowException with {@link ErrorCode#CHANGED_MEANWHILE} if it has another version
   */
  public SavedSchedule save(NewSchedule schedule, long ifVersion) {
    return transport.send(
        Call.to("/api/schedule/save", SavedSchedule.class)
            .with("scheduleData", schedule)
            .with("ifVersion", ifVersion));
  }

  /**
   * Saves 1 to 1,000 schedules of different names, all or none.
   *
   * @return the answers in the order of the schedules
   */
  public List<SavedSchedule> saveAll(List<NewSchedule> schedules) {
    return transport.send(
        Call.to("/api/schedule/saveAll", SAVED_LIST).with("scheduleDataList", schedules));
  }

  /** Reads a schedule. */
  public Schedule get(String scheduleId) {
    return transport.send(Call.to("/api/schedule/get", SCHEDULE).with("scheduleId", scheduleId));
  }

  /** Reads the schedule of this name. */
  public Schedule find(String name) {
    return transport.send(Call.to("/api/schedule/get", SCHEDULE).with("name", name));
  }

  /** A page of schedules, newest first. */
  public SchedulePage list(ScheduleListRequest request) {
    String states =
        request.states().stream().map(ScheduleState::name).collect(Collectors.joining(","));
    return transport.send(
        Call.to("/api/schedule/list", SchedulePage.class)
            .with("state", states)
            .with("taskType", request.taskType())
            .with("limit", request.limit())
            .with("cursor", request.cursor()));
  }

  /**
   * A page of the history of a schedule, newest first, for as long as the server keeps it.
   *
   * @param limit 1 to 1,000
   * @param cursor of the last page; {@code null} for the first
   */
  public FirePage fires(String scheduleId, int limit, String cursor) {
    return transport.send(
        Call.to("/api/schedule/fires", FirePage.class)
            .with("scheduleId", scheduleId)
            .with("limit", limit)
            .with("cursor", cursor));
  }

  /** The fire times of a plan; stores nothing. */
  public FirePreview preview(FirePreviewRequest request) {
    return transport.send(Call.to("/api/schedule/preview", FirePreview.class).withBody(request));
  }

  /**
   * Stops the fires of a schedule. Tasks of later fires that have been created already are
   * cancelled unless a worker holds them. A schedule that is paused already stays so, and {@code
   * until} is set anew; one that has ended stays as it is.
   *
   * @param until when it resumes by itself, in the future; {@code null} for never
   * @param operator recorded with the act, at most 128 characters; {@code null} for none
   * @param reason recorded with the act, at most 1,000 characters; {@code null} for none
   */
  public void pause(String scheduleId, Instant until, String operator, String reason) {
    transport.send(
        Call.to("/api/schedule/pause")
            .with("scheduleId", scheduleId)
            .with("until", until == null ? null : until.toEpochMilli())
            .by(operator, reason));
  }

  /** Pauses a schedule until it is resumed, without an operator and a reason. */
  public void pause(String scheduleId) {
    pause(scheduleId, null, null, null);
  }

  /**
   * Lets a paused schedule fire again. Does nothing if it is active.
   *
   * @param catchUp whether fires of the pause are made by the schedule's catch-up policy; otherwise
   *     they are recorded as a gap
   * @param operator recorded with the act, at most 128 characters; {@code null} for none
   * @param reason recorded with the act, at most 1,000 characters; {@code null} for none
   */
  public void resume(String scheduleId, boolean catchUp, String operator, String reason) {
    transport.send(
        Call.to("/api/schedule/resume")
            .with("scheduleId", scheduleId)
            .with("catchUp", catchUp ? 1 : 0)
            .by(operator, reason));
  }

  /** Resumes a schedule without its past fires, an operator and a reason. */
  public void resume(String scheduleId) {
    resume(scheduleId, false, null, null);
  }

  /**
   * Deletes a schedule. Tasks of later fires are cancelled as by {@link #pause}; runs that began
   * and the history stay.
   *
   * @param operator recorded with the act, at most 128 characters; {@code null} for none
   * @param reason recorded with the act, at most 1,000 characters; {@code null} for none
   */
  public void delete(String scheduleId, String operator, String reason) {
    transport.send(
        Call.to("/api/schedule/delete").with("scheduleId", scheduleId).by(operator, reason));
  }

  /** Deletes a schedule without an operator and a reason. */
  public void delete(String scheduleId) {
    delete(scheduleId, null, null);
  }

  /**
   * Creates the task or the job of a schedule now, beside its plan, whatever its state and its
   * overlap policy.
   *
   * @param idempotencyKey the same key gives the same run, at most 128 printable ASCII; {@code
   *     null} for none
   * @param operator recorded with the act, at most 128 characters; {@code null} for none
   * @param reason recorded with the act, at most 1,000 characters; {@code null} for none
   */
  public TriggeredRun trigger(
      String scheduleId, String idempotencyKey, String operator, String reason) {
    return transport.send(
        Call.to("/api/schedule/trigger", TriggeredRun.class)
            .with("scheduleId", scheduleId)
            .with("idempotencyKey", idempotencyKey)
            .by(operator, reason));
  }

  /** Triggers a schedule without an operator and a reason. */
  public TriggeredRun trigger(String scheduleId, String idempotencyKey) {
    return trigger(scheduleId, idempotencyKey, null, null);
  }

  /**
   * Makes the fires of the past that have no task or job. A repeat makes none. A call looks at ten
   * thousand fire times at most; the answer says where the next one goes on.
   *
   * @param from the first fire time, inclusive; not older than the history
   * @param to the end of the fire times, exclusive; after {@code from}, and taken for now if it is
   *     later
   * @param limit the most fires that this call makes, 1 to 1,000
   * @param operator recorded with the act, at most 128 characters; {@code null} for none
   * @param reason recorded with the act, at most 1,000 characters; {@code null} for none
   */
  public Backfilled backfill(
      String scheduleId, Instant from, Instant to, int limit, String operator, String reason) {
    return transport.send(
        Call.to("/api/schedule/backfill", Backfilled.class)
            .with("scheduleId", scheduleId)
            .with("from", from.toEpochMilli())
            .with("to", to.toEpochMilli())
            .with("limit", limit)
            .by(operator, reason));
  }

  /** Backfills a schedule without an operator and a reason. */
  public Backfilled backfill(String scheduleId, Instant from, Instant to, int limit) {
    return backfill(scheduleId, from, to, limit, null, null);
  }
}
