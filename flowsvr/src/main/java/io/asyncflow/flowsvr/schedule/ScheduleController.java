package io.asyncflow.flowsvr.schedule;

import static org.springframework.web.bind.annotation.RequestMethod.GET;
import static org.springframework.web.bind.annotation.RequestMethod.POST;

import io.asyncflow.api.schedule.Backfilled;
import io.asyncflow.api.schedule.FirePage;
import io.asyncflow.api.schedule.FirePreview;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.SchedulePage;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.access.Verb;
import io.asyncflow.flowsvr.act.Act;
import io.asyncflow.flowsvr.act.Acts;
import io.asyncflow.flowsvr.act.Change;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.schedule.fire.Pauses;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.flowsvr.web.read.Takes;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;
import io.asyncflow.rules.schedule.FireTimes;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/schedule")
class ScheduleController {

  private static final int MAX_PAGE = 1_000;
  private static final int DEFAULT_PAGE = 100;
  private static final int MAX_PREVIEW = 100;
  private static final int DEFAULT_PREVIEW = 10;
  private static final String CURSOR_RULE = "must be a nextCursor of an earlier answer";

  private final ScheduleSaver saver;
  private final ScheduleQueries queries;
  private final Pauses pauses;
  private final ManualFires manual;
  private final ScheduleStore schedules;
  private final Acts acts;

  ScheduleController(
      ScheduleSaver saver,
      ScheduleQueries queries,
      Pauses pauses,
      ManualFires manual,
      ScheduleStore schedules,
      Acts acts) {
    this.saver = saver;
    this.queries = queries;
    this.pauses = pauses;
    this.manual = manual;
    this.schedules = schedules;
    this.acts = acts;
  }

  record Save(NewSchedule scheduleData, Long ifVersion) {}

  record SaveAll(List<NewSchedule> scheduleDataList) {}

  record Get(String scheduleId, String name) {}

  record ListSchedules(String state, String taskType, Integer limit, String cursor) {}

  record GetFires(String scheduleId, String name, Integer limit, String cursor) {}

  record Preview(
      String cron,
      String zone,
      Long everyMs,
      Long anchor,
      Long startTime,
      Long endTime,
      Long maxFires,
      Long from,
      Integer count) {}

  record Pause(String scheduleId, String name, Long until, String operator, String reason) {}

  record Resume(String scheduleId, String name, Integer catchUp, String operator, String reason) {}

  record Delete(String scheduleId, String name, String operator, String reason) {}

  record Trigger(
      String scheduleId, String name, String idempotencyKey, String operator, String reason) {}

  record Backfill(
      String scheduleId,
      String name,
      Long from,
      Long to,
      Integer limit,
      String operator,
      String reason) {}

  record Found(Schedule scheduleData) {}

  record SavedAll(List<SavedSchedule> savedList) {}

  @Takes(summary = "Creates or changes the schedule of a name", shape = Save.class)
  @Needs(Verb.SCHEDULE_SAVE)
  @PostMapping("/save")
  Envelope<SavedSchedule> save(Fields in, Caller caller) {
    NewSchedule schedule = ScheduleForm.read(in.object("scheduleData"));
    Long ifVersion = in.number("ifVersion").between(0, Long.MAX_VALUE).asLong();
    in.refuseIfBad();
    return Envelope.ok(
        saver.save(List.of(schedule), ifVersion, item -> "scheduleData", caller).get(0));
  }

  @Takes(summary = "Saves 1 to 1,000 schedules, all or none", shape = SaveAll.class)
  @Needs(Verb.SCHEDULE_SAVE)
  @PostMapping({"/saveAll", "/save_all"})
  Envelope<SavedAll> saveAll(Fields in, Caller caller) {
    List<NewSchedule> definitions = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Fields item : in.objects("scheduleDataList", 1, TaskLimits.BATCH)) {
      NewSchedule schedule = ScheduleForm.read(item);
      if (schedule.name() != null && !names.add(schedule.name())) {
        item.refuse("name", "appears twice in the list");
      }
      definitions.add(schedule);
    }
    in.refuseIfBad();
    return Envelope.ok(
        new SavedAll(
            saver.save(definitions, null, item -> "scheduleDataList[" + item + "]", caller)));
  }

  @Takes(summary = "Reads a schedule by its id or its name", shape = Get.class)
  @Needs(Verb.SCHEDULE_READ)
  @RequestMapping(
      path = "/get",
      method = {GET, POST})
  Envelope<Found> get(Fields in, Caller caller) {
    Schedule schedule = queries.show(queries.require(scheduleId(in, caller)));
    return Envelope.ok(new Found(caller.shown(schedule, Schedule::withoutContents)));
  }

  @Takes(summary = "Lists schedules, newest first", shape = ListSchedules.class, list = true)
  @Needs(Verb.SCHEDULE_READ)
  @RequestMapping(
      path = "/list",
      method = {GET, POST})
  Envelope<SchedulePage> list(Fields in, Caller caller) {
    Set<ScheduleState> states =
        in.text("state").as(ScheduleController::states, "must be ACTIVE, PAUSED or ENDED");
    TaskType type = in.text("taskType").as(TaskType::parse, "is not a valid task type");
    int limit = in.number("limit").between(1, MAX_PAGE).or(DEFAULT_PAGE);
    Long before = in.text("cursor").as(ScheduleController::number, CURSOR_RULE);
    in.refuseIfBad();
    if (type != null) {
      caller.requireType(type.name());
    }
    SchedulePage page =
        queries.list(
            states == null || states.isEmpty() ? EnumSet.allOf(ScheduleState.class) : states,
            type,
            before == null ? Long.MAX_VALUE : before,
            limit,
            caller.scope());
    List<Schedule> schedules = caller.allShown(page.scheduleList(), Schedule::withoutContents);
    return Envelope.ok(new SchedulePage(schedules, page.nextCursor()));
  }

  @Takes(
      summary = "Lists what became of the fire times of a schedule, newest first",
      shape = GetFires.class,
      list = true)
  @Needs(Verb.SCHEDULE_READ)
  @RequestMapping(
      path = "/fires",
      method = {GET, POST})
  Envelope<FirePage> fires(Fields in, Caller caller) {
    int limit = in.number("limit").between(1, MAX_PAGE).or(DEFAULT_PAGE);
    Long before = in.text("cursor").as(ScheduleController::number, CURSOR_RULE);
    long id = scheduleId(in, caller);
    return Envelope.ok(queries.fires(id, before == null ? Long.MAX_VALUE : before, limit));
  }

  @Takes(summary = "Shows the fire times of a plan; stores nothing", shape = Preview.class)
  @Needs(Verb.SCHEDULE_READ)
  @RequestMapping(
      path = "/preview",
      method = {GET, POST})
  Envelope<FirePreview> preview(Fields in) {
    ScheduleForm.Plan plan = ScheduleForm.plan(in, null, false);
    Long from = in.number("from").epochMs().asLong();
    Long start = in.number("startTime").epochMs().asLong();
    Long end = in.number("endTime").epochMs().asLong();
    Long maxFires = in.number("maxFires").between(0, Long.MAX_VALUE).asLong();
    int count = in.number("count").between(1, MAX_PREVIEW).or(DEFAULT_PREVIEW);
    in.refuseIfBad();
    long after = from == null ? schedules.now() : from;
    return Envelope.ok(
        preview(
            plan.times(),
            plan.zone(),
            start == null ? after : Math.max(start - 1, after),
            end == null ? Long.MAX_VALUE : end,
            maxFires == null ? count : (int) Math.min(count, maxFires)));
  }

  private static FirePreview preview(FireTimes times, ZoneId zone, long from, long end, int count) {
    List<Long> found = times.after(from, end, count);
    List<String> local =
        found.stream()
            .map(time -> Instant.ofEpochMilli(time).atZone(zone))
            .map(DateTimeFormatter.ISO_OFFSET_DATE_TIME::format)
            .toList();
    return new FirePreview(found, local, FirePreview.Kind.valueOf(times.kind().name()));
  }

  @Takes(summary = "Stops the fires of a schedule", shape = Pause.class)
  @Needs(Verb.SCHEDULE_STEER)
  @PostMapping("/pause")
  Envelope<Void> pause(Fields in, Caller caller) {
    Long until = in.number("until").epochMs().asLong();
    if (until != null && until <= schedules.now()) {
      in.refuse("until", "must lie in the future");
    }
    Reason why = Reason.read(in);
    long id = scheduleId(in, caller);
    pauses.pause(id, until, row -> record("PAUSE", id, why));
    return Envelope.done();
  }

  @Takes(summary = "Lets a paused schedule fire again", shape = Resume.class)
  @Needs(Verb.SCHEDULE_STEER)
  @PostMapping("/resume")
  Envelope<Void> resume(Fields in, Caller caller) {
    boolean catchUp = in.number("catchUp").between(0, 1).or(0) == 1;
    Reason why = Reason.read(in);
    long id = scheduleId(in, caller);
    pauses.resume(id, catchUp, row -> record("RESUME", id, why));
    return Envelope.done();
  }

  @Takes(summary = "Deletes a schedule; its runs and its history stay", shape = Delete.class)
  @Needs(Verb.SCHEDULE_SAVE)
  @PostMapping("/delete")
  Envelope<Void> delete(Fields in, Caller caller) {
    Reason why = Reason.read(in);
    long id = scheduleId(in, caller);
    pauses.delete(
        id,
        row -> acts.record(act("DELETE", id, why).with(Change.between(row.definition(), null))));
    return Envelope.done();
  }

  @Takes(summary = "Creates the run of a schedule now, beside its plan", shape = Trigger.class)
  @Needs({Verb.SCHEDULE_SAVE, Verb.SCHEDULE_STEER})
  @PostMapping("/trigger")
  Envelope<TriggeredRun> trigger(Fields in, Caller caller) {
    String key = TaskFields.idempotencyKey(in);
    Reason why = Reason.read(in);
    ScheduleRow row = queries.require(scheduleId(in, caller));
    return Envelope.ok(manual.trigger(row, key, () -> record("TRIGGER", row.id(), why)));
  }

  @Takes(summary = "Makes the fires of the past that have no run", shape = Backfill.class)
  @Needs(Verb.SCHEDULE_SAVE)
  @PostMapping("/backfill")
  Envelope<Backfilled> backfill(Fields in, Caller caller) {
    Long from = in.number("from").required().epochMs().asLong();
    Long to = in.number("to").required().epochMs().asLong();
    if (from != null && to != null && to <= from) {
      in.refuse("to", "must be after from");
    }
    int limit = in.number("limit").between(1, MAX_PAGE).or(DEFAULT_PAGE);
    Reason why = Reason.read(in);
    long id = scheduleId(in, caller);
    return Envelope.ok(
        manual.backfill(queries.require(id), from, to, limit, () -> record("BACKFILL", id, why)));
  }

  private void record(String act, long id, Reason why) {
    acts.record(act(act, id, why));
  }

  private static Act act(String act, long id, Reason why) {
    return Act.of(act, "schedule:" + id).by(why);
  }

  /**
   * The id of the schedule that the request names, by its id or by its name; refuses the request if
   * any field is invalid. To a caller with a scope, a deleted schedule is not there.
   */
  private long scheduleId(Fields in, Caller caller) {
    Long id = in.text("scheduleId").as(ScheduleController::number, "is not a schedule id");
    String name = in.text("name").name().max(ScheduleForm.NAME).value();
    if (!in.has("scheduleId") && !in.has("name")) {
      in.refuse("scheduleId", "is required, or name in its place");
    }
    in.refuseIfBad();
    if (caller.isScoped()) {
      ScheduleRow row = id == null ? queries.require(name) : queries.require(id);
      return ScheduleReach.require(row, id == null ? name : "" + id, caller).id();
    }
    return id == null ? queries.require(name).id() : id;
  }

  private static Optional<Long> number(String text) {
    return text.matches("[1-9][0-9]{0,17}") ? Optional.of(Long.parseLong(text)) : Optional.empty();
  }

  private static Optional<Set<ScheduleState>> states(String text) {
    Set<ScheduleState> states = EnumSet.noneOf(ScheduleState.class);
    for (String name : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      Optional<ScheduleState> state = ScheduleForm.parse(name, ScheduleState.values());
      if (state.isEmpty()) {
        return Optional.empty();
      }
      states.add(state.get());
    }
    return Optional.of(states);
  }
}
