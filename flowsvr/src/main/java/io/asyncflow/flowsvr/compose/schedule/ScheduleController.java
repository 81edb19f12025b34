package io.asyncflow.flowsvr.compose.schedule;

import io.asyncflow.api.schedule.Backfilled;
import io.asyncflow.api.schedule.FirePage;
import io.asyncflow.api.schedule.FirePreview;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.SchedulePage;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.flowsvr.compose.schedule.core.NoSuchScheduleException;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.compose.schedule.fire.ScheduleChanges;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.act.Change;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.GetOrPost;
import io.asyncflow.flowsvr.edge.web.read.Takes;
import io.asyncflow.rules.field.PageFields;
import io.asyncflow.rules.field.PauseFields;
import io.asyncflow.rules.field.ScheduleFields;
import io.asyncflow.rules.field.TaskFields;
import java.util.List;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/schedule")
class ScheduleController {

  private final ScheduleSaver saver;
  private final ScheduleQueries queries;
  private final ScheduleChanges changes;
  private final ManualFires manual;
  private final ScheduleStore schedules;
  private final Acts acts;

  ScheduleController(
      ScheduleSaver saver,
      ScheduleQueries queries,
      ScheduleChanges changes,
      ManualFires manual,
      ScheduleStore schedules,
      Acts acts) {
    this.saver = saver;
    this.queries = queries;
    this.changes = changes;
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
    NewSchedule schedule = ScheduleFields.read(in.object("scheduleData"));
    Long ifVersion = ScheduleFields.ifVersion(in);
    in.refuseIfBad();
    return Envelope.ok(
        saver.save(List.of(schedule), ifVersion, item -> "scheduleData", caller).get(0));
  }

  @Takes(summary = "Saves 1 to 1,000 schedules, all or none", shape = SaveAll.class)
  @Needs(Verb.SCHEDULE_SAVE)
  @PostMapping({"/saveAll", "/save_all"})
  Envelope<SavedAll> saveAll(Fields in, Caller caller) {
    List<NewSchedule> definitions = ScheduleFields.readAll(in);
    in.refuseIfBad();
    return Envelope.ok(
        new SavedAll(
            saver.save(definitions, null, item -> "scheduleDataList[" + item + "]", caller)));
  }

  @Takes(summary = "Reads a schedule by its id or its name", shape = Get.class)
  @Needs(Verb.SCHEDULE_READ)
  @GetOrPost("/get")
  Envelope<Found> get(Fields in, Caller caller) {
    Schedule schedule = queries.show(queries.require(scheduleId(in, caller)));
    return Envelope.ok(new Found(caller.shown(schedule, Schedule::withoutContents)));
  }

  @Takes(summary = "Lists schedules, newest first", shape = ListSchedules.class, list = true)
  @Needs(Verb.SCHEDULE_READ)
  @GetOrPost("/list")
  Envelope<SchedulePage> list(Fields in, Caller caller) {
    ScheduleFields.Listed listed = ScheduleFields.listed(in);
    in.refuseIfBad();
    if (listed.type() != null) {
      caller.requireType(listed.type().name());
    }
    SchedulePage page = queries.list(listed, caller.scope());
    List<Schedule> schedules = caller.allShown(page.scheduleList(), Schedule::withoutContents);
    return Envelope.ok(new SchedulePage(schedules, page.nextCursor()));
  }

  @Takes(
      summary = "Lists what became of the fire times of a schedule, newest first",
      shape = GetFires.class,
      list = true)
  @Needs(Verb.SCHEDULE_READ)
  @GetOrPost("/fires")
  Envelope<FirePage> fires(Fields in, Caller caller) {
    int limit = PageFields.limit(in);
    long before = PageFields.before(in);
    long id = scheduleId(in, caller);
    return Envelope.ok(queries.fires(id, before, limit));
  }

  @Takes(summary = "Shows the fire times of a plan; stores nothing", shape = Preview.class)
  @Needs(Verb.SCHEDULE_READ)
  @GetOrPost("/preview")
  Envelope<FirePreview> preview(Fields in) {
    ScheduleFields.Preview preview = ScheduleFields.preview(in);
    in.refuseIfBad();
    return Envelope.ok(preview.at(schedules.now()));
  }

  @Takes(summary = "Stops the fires of a schedule", shape = Pause.class)
  @Needs(Verb.SCHEDULE_STEER)
  @PostMapping("/pause")
  Envelope<Void> pause(Fields in, Caller caller) {
    Long until = PauseFields.until(in, schedules.now());
    Reason why = Reason.read(in);
    long id = scheduleId(in, caller);
    changes.pause(id, until, row -> record("PAUSE", id, why));
    return Envelope.done();
  }

  @Takes(summary = "Lets a paused schedule fire again", shape = Resume.class)
  @Needs(Verb.SCHEDULE_STEER)
  @PostMapping("/resume")
  Envelope<Void> resume(Fields in, Caller caller) {
    boolean catchUp = in.number("catchUp").between(0, 1).or(0) == 1;
    Reason why = Reason.read(in);
    long id = scheduleId(in, caller);
    changes.resume(id, catchUp, row -> record("RESUME", id, why));
    return Envelope.done();
  }

  @Takes(summary = "Deletes a schedule; its runs and its history stay", shape = Delete.class)
  @Needs(Verb.SCHEDULE_SAVE)
  @PostMapping("/delete")
  Envelope<Void> delete(Fields in, Caller caller) {
    Reason why = Reason.read(in);
    long id = scheduleId(in, caller);
    changes.delete(
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
    ScheduleFields.Backfill fires = ScheduleFields.backfill(in);
    Reason why = Reason.read(in);
    long id = scheduleId(in, caller);
    return Envelope.ok(
        manual.backfill(queries.require(id), fires, () -> record("BACKFILL", id, why)));
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
    ScheduleFields.Named named = ScheduleFields.named(in);
    Long id = named.id();
    String name = named.name();
    in.refuseIfBad();
    if (caller.isScoped()) {
      ScheduleRow row = id == null ? queries.require(name) : queries.require(id);
      if (!row.isSeenBy(caller)) { // as if there were no such schedule
        throw new NoSuchScheduleException(id == null ? name : "" + id);
      }
      return row.id();
    }
    return id == null ? queries.require(name).id() : id;
  }
}
