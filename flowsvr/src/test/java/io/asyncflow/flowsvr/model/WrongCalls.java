package io.asyncflow.flowsvr.model;

import static java.util.Map.entry;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.JobChildren;
import io.asyncflow.api.JobListRequest;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.StoreContent;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.event.EventFilter;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.api.schedule.FirePreviewRequest;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.ScheduleListRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The table of calls at the bounds of what a server takes, with its answers, that the server, the
 * fake and the fake of the SDK for Python are held to. The server's answers are the measure.
 *
 * <p>An object {@code {"times": n, "of": x}} stands for a text or a list that repeats {@code x}; a
 * {@code #} in an item of a list is its index. Entries marked {@code wire} have what no record can
 * hold. Code 0 stands for a call that is accepted.
 */
final class WrongCalls {

  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  /** What a call is told. */
  record Told(int code, String message) {

    static final Told ACCEPTED = new Told(0, null);

    static Told by(Runnable call) {
      try {
        call.run();
        return ACCEPTED;
      } catch (FlowException e) {
        return new Told(e.errorCode().code(), e.getMessage());
      }
    }
  }

  /**
   * A call.
   *
   * @param name the path below {@code /api/}
   */
  record Call(String name, JsonNode body, Told told, boolean isWire) {

    /** Makes the call by a client. */
    Told madeBy(FlowClient client) {
      return Told.by(() -> CALLS.get(name).accept(client, new Body(body)));
    }

    @Override
    public String toString() {
      String text = name + " " + body;
      return text.length() <= 300 ? text : text.substring(0, 300) + "…";
    }
  }

  private WrongCalls() {}

  static List<Call> all() {
    try {
      List<Call> calls = new ArrayList<>();
      for (JsonNode item : JSON.readTree(Path.of("src/test/resources/wrong-calls.json").toFile())) {
        Told told =
            new Told(
                item.get("code").asInt(),
                item.has("message") ? item.get("message").asText() : null);
        calls.add(
            new Call(
                item.get("call").asText(), expanded(item.get("body")), told, item.has("wire")));
      }
      return calls;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonNode expanded(JsonNode node) {
    if (node instanceof ObjectNode object && object.size() == 2 && object.has("times")) {
      int times = object.get("times").asInt();
      JsonNode of = expanded(object.get("of"));
      if (of.isTextual() && !of.asText().contains("#")) {
        return JSON.getNodeFactory().textNode(of.asText().repeat(times));
      }
      ArrayNode list = JSON.createArrayNode();
      for (int i = 0; i < times; i++) {
        list.add(read(of.toString().replace("#", "" + i)));
      }
      return list;
    }
    if (node instanceof ObjectNode object) {
      object.properties().forEach(member -> member.setValue(expanded(member.getValue())));
    } else if (node instanceof ArrayNode list) {
      for (int i = 0; i < list.size(); i++) {
        list.set(i, expanded(list.get(i)));
      }
    }
    return node;
  }

  private static JsonNode read(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The body of a call, as what the methods of clients take. */
  private record Body(JsonNode json) {

    boolean has(String name) {
      return json.has(name);
    }

    String text(String name) {
      return has(name) ? json.get(name).asText() : null;
    }

    int number(String name) {
      return json.get(name).asInt();
    }

    Instant time(String name) {
      return has(name) ? Instant.ofEpochMilli(json.get(name).asLong()) : null;
    }

    String id() {
      return text(has("taskId") ? "taskId" : has("jobId") ? "jobId" : "scheduleId");
    }

    String by() {
      return text("operator");
    }

    String why() {
      return text("reason");
    }

    <T> T as(Class<T> type) {
      return JSON.convertValue(json, type);
    }

    <T> T as(String name, Class<T> type) {
      return JSON.convertValue(json.get(name), type);
    }

    <T> List<T> list(String name, Class<T> type) {
      return has(name)
          ? JSON.convertValue(
              json.get(name), JSON.getTypeFactory().constructCollectionType(List.class, type))
          : null;
    }

    TaskPageRequest page() {
      return new TaskPageRequest(Set.of(), as("limit", Integer.class), text("cursor"));
    }

    EventFilter filter() {
      Set<String> types =
          has("taskTypes") ? new HashSet<>(list("taskTypes", String.class)) : Set.of();
      return new EventFilter(types, Set.of(), text("userId"));
    }
  }

  /** Throws the refusal of a report. */
  private static void require(List<ReportResult> results) {
    for (ReportResult result : results) {
      if (!result.stands()) {
        throw new FlowException(ErrorCode.of(result.code(), 0), result.msg());
      }
    }
  }

  private static void hold(FlowClient client, Body body) {
    HoldRequest request = body.as(HoldRequest.class);
    if (body.has("reports")) {
      require(client.hold(request, body.list("reports", Report.class)).outcomes());
    } else {
      client.hold(request);
    }
  }

  private static void get(FlowClient client, Body body) {
    if (body.has("idempotencyKey")) {
      client.getTask(body.text("taskType"), body.text("idempotencyKey"));
    } else {
      client.getTask(body.id());
    }
  }

  private static void save(FlowClient client, Body body) {
    NewSchedule schedule = body.as("scheduleData", NewSchedule.class);
    if (body.has("ifVersion")) {
      client.schedules().save(schedule, body.number("ifVersion"));
    } else {
      client.schedules().save(schedule);
    }
  }

  private static void find(FlowClient client, Body body) {
    if (body.has("name")) {
      client.schedules().find(body.text("name"));
    } else {
      client.schedules().get(body.id());
    }
  }

  private static final Map<String, BiConsumer<FlowClient, Body>> CALLS =
      Map.ofEntries(
          entry("task/createTask", (c, b) -> c.create(b.as("taskData", NewTask.class))),
          entry("task/createTasks", (c, b) -> c.create(b.list("taskDataList", NewTask.class))),
          entry("task/getTask", WrongCalls::get),
          entry("task/getTaskList", (c, b) -> c.getTaskList(b.text("taskType"), b.page())),
          entry("task/getUserTaskList", (c, b) -> c.getUserTaskList(b.text("userId"), b.page())),
          entry("task/cancel", (c, b) -> c.cancelTask(b.id(), b.by(), b.why())),
          entry("task/retry", (c, b) -> c.retryTask(b.id(), b.by(), b.why())),
          entry("task/restart", (c, b) -> c.restartTask(b.id(), b.by(), b.why())),
          entry("task/pause", (c, b) -> c.pauseTask(b.id(), false, b.by(), b.why())),
          entry("task/resume", (c, b) -> c.resumeTask(b.id(), b.by(), b.why())),
          entry(
              "task/setWorkers",
              (c, b) -> c.setWorkers(b.id(), b.list("workerIds", String.class), b.by(), b.why())),
          entry("task/hold_task", WrongCalls::hold),
          entry("task/set_tasks", (c, b) -> require(c.report(b.list("reports", Report.class)))),
          entry("worker/heartbeat", (c, b) -> c.heartbeat(b.as(Heartbeat.class))),
          entry(
              "task_schedule_cfg/list",
              (c, b) -> c.taskTypes(Duration.ofMillis(b.number("maxAgeMs")))),
          entry(
              "task_schedule_cfg/save",
              (c, b) -> c.saveTaskType(b.as(TaskTypeSettings.class), Set.of(), b.by(), b.why())),
          entry("job/createJob", (c, b) -> c.jobs().createJob(b.as("jobData", NewJob.class))),
          entry("job/getJob", (c, b) -> c.jobs().getJob(b.id())),
          entry(
              "job/getJobList",
              (c, b) ->
                  c.jobs()
                      .getJobList(
                          new JobListRequest(
                              b.text("userId"),
                              b.text("jobType"),
                              Set.of(),
                              b.as("limit", Integer.class),
                              b.text("cursor")))),
          entry(
              "job/getJobTasks",
              (c, b) -> c.jobs().getJobTasks(b.id(), b.number("limit"), b.text("cursor"))),
          entry("job/getJobInput", (c, b) -> c.jobs().openJobInput(b.id())),
          entry("job/progress", (c, b) -> c.jobs().openJobProgress(b.id(), null)),
          entry("job/addChildren", (c, b) -> c.jobs().addJobChildren(b.as(JobChildren.class))),
          entry("job/cancel", (c, b) -> c.jobs().cancelJob(b.id(), b.by(), b.why())),
          entry("job/pause", (c, b) -> c.jobs().pauseJob(b.id(), b.by(), b.why())),
          entry("job/resume", (c, b) -> c.jobs().resumeJob(b.id(), b.by(), b.why())),
          entry("job/retry", (c, b) -> c.jobs().retryJob(b.id(), b.by(), b.why())),
          entry("schedule/save", WrongCalls::save),
          entry(
              "schedule/saveAll",
              (c, b) -> c.schedules().saveAll(b.list("scheduleDataList", NewSchedule.class))),
          entry("schedule/get", WrongCalls::find),
          entry(
              "schedule/list",
              (c, b) ->
                  c.schedules()
                      .list(
                          new ScheduleListRequest(
                              Set.of(),
                              b.text("taskType"),
                              b.as("limit", Integer.class),
                              b.text("cursor")))),
          entry(
              "schedule/fires",
              (c, b) -> c.schedules().fires(b.id(), b.number("limit"), b.text("cursor"))),
          entry(
              "schedule/preview", (c, b) -> c.schedules().preview(b.as(FirePreviewRequest.class))),
          entry(
              "schedule/pause",
              (c, b) -> c.schedules().pause(b.id(), b.time("until"), b.by(), b.why())),
          entry("schedule/resume", (c, b) -> c.schedules().resume(b.id(), false, b.by(), b.why())),
          entry("schedule/delete", (c, b) -> c.schedules().delete(b.id(), b.by(), b.why())),
          entry(
              "schedule/trigger",
              (c, b) -> c.schedules().trigger(b.id(), b.text("idempotencyKey"), b.by(), b.why())),
          entry(
              "schedule/backfill",
              (c, b) ->
                  c.schedules()
                      .backfill(
                          b.id(),
                          b.time("from"),
                          b.time("to"),
                          b.number("limit"),
                          b.by(),
                          b.why())),
          entry(
              "event/list",
              (c, b) ->
                  c.events()
                      .list(
                          b.filter(),
                          b.text("cursor"),
                          b.number("limit"),
                          Duration.ofMillis(b.number("waitMs")))),
          entry("event/stream", (c, b) -> c.events().open(b.filter(), b.text("cursor")).close()),
          entry(
              "pause/set",
              (c, b) ->
                  c.pauses()
                      .set(
                          b.as("kind", PauseKind.class),
                          b.text("name"),
                          b.time("until"),
                          b.by(),
                          b.why())),
          entry(
              "pause/clear",
              (c, b) ->
                  c.pauses().clear(b.as("kind", PauseKind.class), b.text("name"), b.by(), b.why())),
          entry(
              "pause/list",
              (c, b) ->
                  c.pauses()
                      .list(b.as("kind", PauseKind.class), b.number("limit"), b.text("cursor"))),
          entry(
              "store/put",
              (c, b) ->
                  c.store()
                      .put(
                          StoreKey.parse(b.text("key")).orElseThrow(),
                          b.text("workerId"),
                          StoreContent.of(new byte[3]))),
          entry(
              "store/open", (c, b) -> c.store().open(StoreKey.parse(b.text("key")).orElseThrow())));
}
