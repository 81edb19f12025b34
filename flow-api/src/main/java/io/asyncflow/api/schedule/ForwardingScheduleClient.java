package io.asyncflow.api.schedule;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Forwards every call about schedules to another client; see {@link
 * io.asyncflow.api.ForwardingFlowClient}. Thread-safe if the other client is.
 */
public abstract class ForwardingScheduleClient implements ScheduleClient {

  private final ScheduleClient schedules;

  /**
   * @param schedules the client that receives the calls
   */
  protected ForwardingScheduleClient(ScheduleClient schedules) {
    this.schedules = Objects.requireNonNull(schedules, "schedules");
  }

  @Override
  public SavedSchedule save(NewSchedule schedule) {
    return schedules.save(schedule);
  }

  @Override
  public SavedSchedule save(NewSchedule schedule, long ifVersion) {
    return schedules.save(schedule, ifVersion);
  }

  @Override
  public List<SavedSchedule> saveAll(List<NewSchedule> all) {
    return schedules.saveAll(all);
  }

  @Override
  public Schedule get(String scheduleId) {
    return schedules.get(scheduleId);
  }

  @Override
  public Schedule find(String name) {
    return schedules.find(name);
  }

  @Override
  public SchedulePage list(ScheduleListRequest request) {
    return schedules.list(request);
  }

  @Override
  public FirePage fires(String scheduleId, int limit, String cursor) {
    return schedules.fires(scheduleId, limit, cursor);
  }

  @Override
  public FirePreview preview(FirePreviewRequest request) {
    return schedules.preview(request);
  }

  @Override
  public void pause(String scheduleId, Instant until, String operator, String reason) {
    schedules.pause(scheduleId, until, operator, reason);
  }

  @Override
  public void resume(String scheduleId, boolean catchUp, String operator, String reason) {
    schedules.resume(scheduleId, catchUp, operator, reason);
  }

  @Override
  public void delete(String scheduleId, String operator, String reason) {
    schedules.delete(scheduleId, operator, reason);
  }

  @Override
  public TriggeredRun trigger(
      String scheduleId, String idempotencyKey, String operator, String reason) {
    return schedules.trigger(scheduleId, idempotencyKey, operator, reason);
  }

  @Override
  public Backfilled backfill(
      String scheduleId, Instant from, Instant to, int limit, String operator, String reason) {
    return schedules.backfill(scheduleId, from, to, limit, operator, reason);
  }
}
