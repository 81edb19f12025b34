package io.asyncflow.fake;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.Backfilled;
import io.asyncflow.api.schedule.FirePage;
import io.asyncflow.api.schedule.FirePreview;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.SaveOutcome;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.SchedulePage;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.field.PageFields;
import io.asyncflow.rules.field.PauseFields;
import io.asyncflow.rules.field.ScheduleFields;
import io.asyncflow.rules.field.SentFields;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.schedule.ScheduleRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * The schedules of a {@link FakeFlowServer}, guarded by its lock. The decisions about fires are
 * those of the server; what the server asks its database for is asked in memory.
 */
final class FakeSchedules {

  private final FakeFlowServer server;
  private final FakeJobs jobs;
  private final FakeFires fires;
  private final NavigableMap<Long, FakeSchedule> rows = new TreeMap<>();

  /** By schedule, also of deleted ones. */
  private final Map<String, FireHistory> histories = new HashMap<>();

  FakeSchedules(FakeFlowServer server, FakeJobs jobs) {
    this.server = server;
    this.jobs = jobs;
    this.fires = new FakeFires(server, jobs);
  }

  /** Does what has come by the server's clock; called under the server's lock. */
  void makeFires() {
    if (!rows.isEmpty()) {
      long now = server.millis();
      List.copyOf(rows.values()).forEach(row -> fires.makeDue(row, now));
    }
  }

  /** When there is something to do next, in epoch ms; called under the server's lock. */
  long nextWakeTime() {
    return rows.values().stream()
        .map(FakeSchedule::wakeTime)
        .filter(Objects::nonNull)
        .mapToLong(Long::longValue)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /**
   * Records the end of a run, or with {@code null} that it lives again; called under the server's
   * lock.
   *
   * @param error why the run failed; {@code null} if it did not
   */
  void ended(FireId fire, TriggeredRun run, TaskStatus status, String error) {
    FireHistory history = histories.get(Long.toString(fire.scheduleId()));
    FakeSchedule row = rows.get(fire.scheduleId());
    boolean isNew = history.end(fire.fireTime(), run, status, server.millis());
    if (isNew && status != null && row != null) {
      row.recordEnd(run, status, error, server.millis());
    }
  }

  void answer(FakeCalls calls) {
    calls
        .read("/api/schedule/get", swept(this::show))
        .read("/api/schedule/list", swept(this::list))
        .read("/api/schedule/fires", swept(this::history))
        .read("/api/schedule/preview", swept(FakeSchedules::preview))
        .write("/api/schedule/save", written(this::save))
        .write("/api/schedule/saveAll", written(this::saveAll))
        .write("/api/schedule/trigger", written(acted(this::trigger)))
        .write("/api/schedule/backfill", written(acted(this::backfill)))
        .write("/api/schedule/pause", written(acted(this::pause)))
        .write("/api/schedule/resume", written(acted(this::resume)))
        .write("/api/schedule/delete", written(acted(this::delete)));
  }

  /** A call; it gets the time, in epoch ms. */
  private interface Answering {
    Object at(long now, SentFields in);
  }

  private Function<SentFields, Object> swept(Answering call) {
    return in -> {
      server.sweep();
      return call.at(server.millis(), in);
    };
  }

  private Function<SentFields, Object> written(Answering call) {
    return swept(call)
        .andThen(
            answer -> {
              makeFires();
              server.notifyAll();
              return answer;
            });
  }

  private static Answering acted(Answering call) {
    return (now, in) -> call.at(now, FakeCalls.acted(in));
  }

  private SavedSchedule save(long now, SentFields in) {
    NewSchedule definition = ScheduleFields.read(in.object("scheduleData"));
    Long ifVersion = ScheduleFields.ifVersion(in);
    in.refuseIfBad();
    return saveAll(List.of(definition), i -> "scheduleData", ifVersion, now).get(0);
  }

  private List<SavedSchedule> saveAll(long now, SentFields in) {
    List<NewSchedule> definitions = ScheduleFields.readAll(in);
    in.refuseIfBad();
    return saveAll(definitions, i -> "scheduleDataList[" + i + "]", null, now);
  }

  private List<SavedSchedule> saveAll(
      List<NewSchedule> definitions, IntFunction<String> path, Long ifVersion, long now) {
    for (int i = 0; i < definitions.size(); i++) {
      fires.requireTypes(definitions.get(i), path.apply(i));
    }
    // All are decided before the first is written, so that a refusal leaves nothing behind.
    List<Supplier<SavedSchedule>> saves = new ArrayList<>();
    definitions.forEach(definition -> saves.add(decide(definition, ifVersion, now)));
    return saves.stream().map(Supplier::get).toList();
  }

  /** Finds out what a save does; the result does it. */
  private Supplier<SavedSchedule> decide(NewSchedule definition, Long ifVersion, long now) {
    FakeSchedule row = named(definition.name());
    ScheduleRules.requireVersion(row == null ? 0 : row.version, definition, ifVersion);
    if (row == null) {
      long first = ScheduleRules.firstFire(definition, now, now);
      return () -> create(definition, first, now);
    }
    if (row.definition.equals(definition)) {
      return () -> answer(row, SaveOutcome.UNCHANGED);
    }
    if (definition.revision() < row.definition.revision()) {
      return () -> answer(row, SaveOutcome.KEPT);
    }
    List<ScheduleFire> withdrawn = fires.withdrawable(row, now);
    Long next = nextFire(row, definition, withdrawn, now);
    return () -> {
      fires.withdraw(row, withdrawn);
      boolean isEnded = row.define(definition, next, now);
      row.version = server.creates.newNumber();
      return answer(row, isEnded ? SaveOutcome.ENDED : SaveOutcome.CHANGED);
    };
  }

  private SavedSchedule create(NewSchedule definition, long first, long now) {
    FireHistory history = new FireHistory();
    FakeSchedule row =
        new FakeSchedule(server.creates.newNumber(), definition, first, history, now);
    rows.put(row.id, row);
    histories.put(row.scheduleId(), history);
    return answer(row, SaveOutcome.CREATED);
  }

  private static SavedSchedule answer(FakeSchedule row, SaveOutcome outcome) {
    return new SavedSchedule(row.scheduleId(), outcome, row.nextFireTime());
  }

  private static Long nextFire(
      FakeSchedule row, NewSchedule definition, List<ScheduleFire> withdrawn, long now) {
    Long lastKept =
        row.history.madeAhead(now).stream()
            .filter(fire -> !withdrawn.contains(fire))
            .map(ScheduleFire::fireTime)
            .max(Long::compare)
            .orElse(null);
    Long first = withdrawn.isEmpty() ? null : (Long) withdrawn.get(0).fireTime();
    return ScheduleRules.nextFire(row.changed(first, lastKept), definition, now);
  }

  private Schedule show(long now, SentFields in) {
    return row(in).show(now);
  }

  private SchedulePage list(long now, SentFields in) {
    ScheduleFields.Listed listed = ScheduleFields.listed(in);
    in.refuseIfBad();
    List<FakeSchedule> page =
        rows.headMap(listed.before(), false).descendingMap().values().stream()
            .filter(row -> listed.states().contains(row.state()))
            .filter(row -> listed.type() == null || row.targetType().equals(listed.type().name()))
            .limit(listed.limit())
            .toList();
    return new SchedulePage(
        page.stream().map(row -> row.show(now)).toList(),
        page.size() < listed.limit() ? null : page.get(listed.limit() - 1).scheduleId());
  }

  private FirePage history(long now, SentFields in) {
    int limit = PageFields.limit(in);
    long before = PageFields.before(in);
    FireHistory history = histories.get(in.text("scheduleId").value());
    if (history == null || history.isEmpty()) {
      history = row(in).history;
    }
    in.refuseIfBad();
    return history.page(before, limit);
  }

  private static FirePreview preview(long now, SentFields in) {
    ScheduleFields.Preview preview = ScheduleFields.preview(in);
    in.refuseIfBad();
    return preview.at(now);
  }

  private Void pause(long now, SentFields in) {
    Long untilMs = PauseFields.until(in, now);
    FakeSchedule row = row(in);
    List<ScheduleFire> withdrawn = fires.withdrawable(row, now);
    if (row.state() != ScheduleState.ENDED || !withdrawn.isEmpty()) {
      fires.withdraw(row, withdrawn);
      row.pause(untilMs, now);
      row.version = server.creates.newNumber();
    }
    return null;
  }

  private Void resume(long now, SentFields in) {
    FakeSchedule row = row(in);
    if (row.state() == ScheduleState.PAUSED) {
      row.resume(in.number("catchUp").or(0) != 0, now);
      row.version = server.creates.newNumber();
    }
    return null;
  }

  private Void delete(long now, SentFields in) {
    FakeSchedule row = row(in);
    fires.withdraw(row, fires.withdrawable(row, now));
    rows.remove(row.id);
    return null;
  }

  private TriggeredRun trigger(long now, SentFields in) {
    String key = TaskFields.idempotencyKey(in);
    return fires.trigger(row(in), key, now);
  }

  private Backfilled backfill(long now, SentFields in) {
    ScheduleFields.Backfill wanted = ScheduleFields.backfill(in);
    return fires.backfill(row(in), wanted.from(), wanted.to(), wanted.limit(), now);
  }

  /** The schedule that a call names, whose fields must be valid. */
  private FakeSchedule row(SentFields in) {
    ScheduleFields.Named named = ScheduleFields.named(in);
    in.refuseIfBad();
    FakeSchedule row = named.id() == null ? named(named.name()) : rows.get(named.id());
    if (row == null) {
      String which = named.id() == null ? named.name() : "" + named.id();
      throw new FlowException(ErrorCode.NO_SUCH_SCHEDULE, "there is no schedule " + which);
    }
    return row;
  }

  private FakeSchedule named(String name) {
    return rows.values().stream()
        .filter(row -> row.definition.name().equals(name))
        .findFirst()
        .orElse(null);
  }
}
