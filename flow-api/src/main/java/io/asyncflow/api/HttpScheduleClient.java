package io.asyncflow.api;

import io.asyncflow.api.schedule.Backfilled;
import io.asyncflow.api.schedule.FirePage;
import io.asyncflow.api.schedule.FirePreview;
import io.asyncflow.api.schedule.FirePreviewRequest;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.schedule.ScheduleListRequest;
import io.asyncflow.api.schedule.SchedulePage;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.api.schedule.TriggeredRun;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The calls about schedules, over HTTP. */
final class HttpScheduleClient implements ScheduleClient {

  private static final Answer<SavedSchedule> SAVED = Answer.of(SavedSchedule.class);
  private static final Answer<List<SavedSchedule>> SAVED_LIST =
      Answer.of(SavedListResult.class, SavedListResult::savedList);
  private static final Answer<Schedule> SCHEDULE =
      Answer.of(ScheduleResult.class, ScheduleResult::scheduleData);
  private static final Answer<SchedulePage> SCHEDULES = Answer.of(SchedulePage.class);
  private static final Answer<FirePage> FIRES = Answer.of(FirePage.class);
  private static final Answer<FirePreview> PREVIEW = Answer.of(FirePreview.class);
  private static final Answer<TriggeredRun> TRIGGERED = Answer.of(TriggeredRun.class);
  private static final Answer<Backfilled> BACKFILLED = Answer.of(Backfilled.class);

  private final HttpTransport http;

  HttpScheduleClient(HttpTransport http) {
    this.http = http;
  }

  private record SavedListResult(List<SavedSchedule> savedList) {}

  private record ScheduleResult(Schedule scheduleData) {}

  private record Save(NewSchedule scheduleData, Long ifVersion) {}

  private record ListSchedules(String state, String taskType, Integer limit, String cursor) {}

  private record Fires(String scheduleId, int limit, String cursor) {}

  private record Pause(String scheduleId, Long until, String operator, String reason) {}

  private record Resume(String scheduleId, int catchUp, String operator, String reason) {}

  private record Delete(String scheduleId, String operator, String reason) {}

  private record Trigger(
      String scheduleId, String idempotencyKey, String operator, String reason) {}

  private record Backfill(
      String scheduleId, long from, long to, int limit, String operator, String reason) {}

  @Override
  public SavedSchedule save(NewSchedule schedule) {
    return http.post("/api/schedule/save", new Save(schedule, null), SAVED);
  }

  @Override
  public SavedSchedule save(NewSchedule schedule, long ifVersion) {
    return http.post("/api/schedule/save", new Save(schedule, ifVersion), SAVED);
  }

  @Override
  public List<SavedSchedule> saveAll(List<NewSchedule> schedules) {
    Map<String, ?> body = Map.of("scheduleDataList", schedules);
    return http.post("/api/schedule/saveAll", body, SAVED_LIST);
  }

  @Override
  public Schedule get(String scheduleId) {
    return http.post("/api/schedule/get", Map.of("scheduleId", scheduleId), SCHEDULE);
  }

  @Override
  public Schedule find(String name) {
    return http.post("/api/schedule/get", Map.of("name", name), SCHEDULE);
  }

  @Override
  public SchedulePage list(ScheduleListRequest request) {
    String states =
        request.states().stream().map(ScheduleState::name).collect(Collectors.joining(","));
    ListSchedules body =
        new ListSchedules(states, request.taskType(), request.limit(), request.cursor());
    return http.post("/api/schedule/list", body, SCHEDULES);
  }

  @Override
  public FirePage fires(String scheduleId, int limit, String cursor) {
    return http.post("/api/schedule/fires", new Fires(scheduleId, limit, cursor), FIRES);
  }

  @Override
  public FirePreview preview(FirePreviewRequest request) {
    return http.post("/api/schedule/preview", request, PREVIEW);
  }

  @Override
  public void pause(String scheduleId, Instant until, String operator, String reason) {
    Long untilMs = until == null ? null : until.toEpochMilli();
    http.post("/api/schedule/pause", new Pause(scheduleId, untilMs, operator, reason));
  }

  @Override
  public void resume(String scheduleId, boolean catchUp, String operator, String reason) {
    http.post("/api/schedule/resume", new Resume(scheduleId, catchUp ? 1 : 0, operator, reason));
  }

  @Override
  public void delete(String scheduleId, String operator, String reason) {
    http.post("/api/schedule/delete", new Delete(scheduleId, operator, reason));
  }

  @Override
  public TriggeredRun trigger(
      String scheduleId, String idempotencyKey, String operator, String reason) {
    return http.post(
        "/api/schedule/trigger",
        new Trigger(scheduleId, idempotencyKey, operator, reason),
        TRIGGERED);
  }

  @Override
  public Backfilled backfill(
      String scheduleId, Instant from, Instant to, int limit, String operator, String reason) {
    Backfill body =
        new Backfill(scheduleId, from.toEpochMilli(), to.toEpochMilli(), limit, operator, reason);
    return http.post("/api/schedule/backfill", body, BACKFILLED);
  }
}
