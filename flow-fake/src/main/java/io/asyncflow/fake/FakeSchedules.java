package io.asyncflow.fake;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.Backfilled;
import io.asyncflow.api.schedule.FirePage;
import io.asyncflow.api.schedule.FirePreview;
import io.asyncflow.api.schedule.FirePreviewRequest;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.SaveOutcome;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.ScheduleListRequest;
import io.asyncflow.api.schedule.SchedulePage;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.field.SentFields;
import io.asyncflow.rules.field.SentTask;
import io.asyncflow.rules.schedule.FireTimes;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The schedules of a {@link FakeFlowServer}, guarded by its lock. The decisions about fires are
 * those of the server; what the server asks its database for is asked in memory.
 */
final class FakeSchedules implements ScheduleClient {

  private static final int MAX_PAGE = 1_000;
  private static final int DEFAULT_PAGE = 100;
  private static final int MAX_PREVIEW = 100;
  private static final int DEFAULT_PREVIEW = 10;

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

  @Override
  public SavedSchedule save(NewSchedule schedule) {
    return write(now -> saveAll(List.of(schedule), null, now)).get(0);
  }

  @Override
  public SavedSchedule save(NewSchedule schedule, long ifVersion) {
    return write(now -> saveAll(List.of(schedule), ifVersion, now)).get(0);
  }

  @Override
  public List<SavedSchedule> saveAll(List<NewSchedule> schedules) {
    long names = schedules.stream().map(NewSchedule::name).distinct().count();
    if (schedules.isEmpty() || schedules.size() > MAX_PAGE || names < schedules.size()) {
      throw invalid("saveAll takes 1 to " + MAX_PAGE + " schedules of different names");
    }
    return write(now -> saveAll(schedules, null, now));
  }

  private List<SavedSchedule> saveAll(List<NewSchedule> schedules, Long ifVersion, long now) {
    List<NewSchedule> definitions = schedules.stream().map(CompleteSchedule::of).toList();
    definitions.forEach(this::requireTarget);
    // All are decided before the first is written, so that a refusal leaves nothing behind.
    List<Supplier<SavedSchedule>> saves = new ArrayList<>();
    definitions.forEach(definition -> saves.add(decide(definition, ifVersion, now)));
    return saves.stream().map(Supplier::get).toList();
  }

  private void requireTarget(NewSchedule schedule) {
    if (schedule.jobData() != null) {
      server.types.named(schedule.jobData().childType());
    } else {
      SentFields in = new SentFields();
      SentTask.checkWithoutKey(in.object("taskData", schedule.taskData()), server.millis());
      in.refuseIfBad();
    }
    fires.checkSealing(schedule);
  }

  /** Finds out what a save does; the result does it. */
  private Supplier<SavedSchedule> decide(NewSchedule definition, Long ifVersion, long now) {
    FakeSchedule row = named(definition.name());
    long version = row == null ? 0 : row.version();
    if (ifVersion != null && ifVersion != version) {
      throw new FlowException(
          ErrorCode.CHANGED_MEANWHILE,
          "schedule %s has version %d, not %d".formatted(definition.name(), version, ifVersion));
    }
    if (row == null) {
      long first = FakeSchedule.firstFire(definition, now, now);
      return () -> create(definition, first, now);
    }
    if (row.definition().equals(definition)) {
      return () -> answer(row, SaveOutcome.UNCHANGED);
    }
    if (definition.revision() < row.definition().revision()) {
      return () -> answer(row, SaveOutcome.KEPT);
    }
    List<ScheduleFire> withdrawn = fires.withdrawable(row, now);
    Long next = nextFire(row, definition, withdrawn, now);
    return () -> {
      fires.withdraw(row, withdrawn);
      boolean isEnded = row.define(definition, next, now);
      row.raiseVersion(server.creates.newNumber());
      return answer(row, isEnded ? SaveOutcome.ENDED : SaveOutcome.CHANGED);
    };
  }

  private SavedSchedule create(NewSchedule definition, long first, long now) {
    FireHistory history = new FireHistory();
    FakeSchedule row =
        new FakeSchedule(server.creates.newNumber(), definition, first, history, now);
    rows.put(row.id(), row);
    histories.put(row.scheduleId(), history);
    return answer(row, SaveOutcome.CREATED);
  }

  private static SavedSchedule answer(FakeSchedule row, SaveOutcome outcome) {
    return new SavedSchedule(row.scheduleId(), outcome, row.nextFireTime());
  }

  /**
   * The next fire after a change: as before if the plan is the same, so that no fire is lost; else
   * the first one of the new plan after now and after all fires that stay.
   */
  private static Long nextFire(
      FakeSchedule row, NewSchedule definition, List<ScheduleFire> withdrawn, long now) {
    if (row.hasPlanOf(definition) && (!withdrawn.isEmpty() || row.state() != ScheduleState.ENDED)) {
      Long next = withdrawn.isEmpty() ? row.nextFireTime() : (Long) withdrawn.get(0).fireTime();
      boolean isSameEnd = Objects.equals(row.definition().endTime(), definition.endTime());
      if (!isSameEnd && FakeSchedule.isOver(definition, next == null ? now : Math.max(next, now))) {
        throw FakeSchedule.neverFires(definition);
      }
      return next;
    }
    long after =
        row.history().madeAhead(now).stream()
            .filter(fire -> !withdrawn.contains(fire))
            .mapToLong(ScheduleFire::fireTime)
            .max()
            .orElse(now);
    return FakeSchedule.firstFire(definition, now, after);
  }

  @Override
  public Schedule get(String scheduleId) {
    return read(now -> row(scheduleId).show(now));
  }

  @Override
  public Schedule find(String name) {
    return read(
        now -> {
          FakeSchedule row = named(name);
          if (row == null) {
            throw noSuchSchedule(name);
          }
          return row.show(now);
        });
  }

  @Override
  public SchedulePage list(ScheduleListRequest request) {
    int limit = between("limit", request.limit(), MAX_PAGE, DEFAULT_PAGE);
    long before = before(request.cursor());
    return read(
        now -> {
          List<FakeSchedule> page =
              rows.headMap(before, false).descendingMap().values().stream()
                  .filter(
                      row -> request.states().isEmpty() || request.states().contains(row.state()))
                  .filter(
                      row ->
                          request.taskType() == null
                              || row.targetType().equalsIgnoreCase(request.taskType()))
                  .limit(limit)
                  .toList();
          return new SchedulePage(
              page.stream().map(row -> row.show(now)).toList(),
              page.size() < limit ? null : page.get(limit - 1).scheduleId());
        });
  }

  @Override
  public FirePage fires(String scheduleId, int limit, String cursor) {
    between("limit", limit, MAX_PAGE, DEFAULT_PAGE);
    return read(
        now -> {
          FireHistory history = histories.get(scheduleId);
          if (history == null || history.isEmpty()) {
            return row(scheduleId).history().page(before(cursor), limit);
          }
          return history.page(before(cursor), limit);
        });
  }

  @Override
  public FirePreview preview(FirePreviewRequest request) {
    FireTimes times = CompleteSchedule.times(request);
    int count = between("count", request.count(), MAX_PREVIEW, DEFAULT_PREVIEW);
    ZoneId zone = CompleteSchedule.zone(request.zone());
    return read(
        now -> {
          long from = Objects.requireNonNullElse(request.from(), now);
          long end = Objects.requireNonNullElse(request.endTime(), Long.MAX_VALUE);
          long most =
              Math.min(count, Objects.requireNonNullElse(request.maxFires(), Long.MAX_VALUE));
          long after = request.startTime() == null ? from : Math.max(request.startTime() - 1, from);
          List<Long> found = times.after(after, end, (int) most);
          List<String> local =
              found.stream()
                  .map(time -> Instant.ofEpochMilli(time).atZone(zone))
                  .map(DateTimeFormatter.ISO_OFFSET_DATE_TIME::format)
                  .toList();
          return new FirePreview(found, local, FirePreview.Kind.valueOf(times.kind().name()));
        });
  }

  @Override
  public void pause(String scheduleId, Instant until, String operator, String reason) {
    write(
        now -> {
          if (until != null && until.toEpochMilli() <= now) {
            throw invalid("until must lie in the future");
          }
          FakeSchedule row = row(scheduleId);
          List<ScheduleFire> withdrawn = fires.withdrawable(row, now);
          if (row.state() != ScheduleState.ENDED || !withdrawn.isEmpty()) {
            fires.withdraw(row, withdrawn);
            row.pause(
                withdrawn.isEmpty() ? row.nextFireTime() : (Long) withdrawn.get(0).fireTime(),
                until == null ? null : (Long) until.toEpochMilli(),
                now);
            row.raiseVersion(server.creates.newNumber());
          }
          return row;
        });
  }

  @Override
  public void resume(String scheduleId, boolean catchUp, String operator, String reason) {
    write(
        now -> {
          FakeSchedule row = row(scheduleId);
          if (row.state() == ScheduleState.PAUSED) {
            row.resume(catchUp, now);
            row.raiseVersion(server.creates.newNumber());
          }
          return row;
        });
  }

  @Override
  public void delete(String scheduleId, String operator, String reason) {
    write(
        now -> {
          FakeSchedule row = row(scheduleId);
          fires.withdraw(row, fires.withdrawable(row, now));
          return rows.remove(row.id());
        });
  }

  @Override
  public TriggeredRun trigger(
      String scheduleId, String idempotencyKey, String operator, String reason) {
    return write(now -> fires.trigger(row(scheduleId), idempotencyKey, now));
  }

  @Override
  public Backfilled backfill(
      String scheduleId, Instant from, Instant to, int limit, String operator, String reason) {
    between("limit", limit, MAX_PAGE, DEFAULT_PAGE);
    return write(
        now -> fires.backfill(row(scheduleId), from.toEpochMilli(), to.toEpochMilli(), limit, now));
  }

  /** A call; it gets the time, in epoch ms. */
  private interface Call<T> {
    T at(long now);
  }

  private <T> T read(Call<T> call) {
    synchronized (server) {
      server.before();
      server.sweep();
      return call.at(server.millis());
    }
  }

  private <T> T write(Call<T> call) {
    synchronized (server) {
      T answer = read(call);
      makeFires();
      server.notifyAll();
      server.after();
      return answer;
    }
  }

  private FakeSchedule row(String scheduleId) {
    return rows.values().stream()
        .filter(row -> row.scheduleId().equals(scheduleId))
        .findFirst()
        .orElseThrow(() -> noSuchSchedule(scheduleId));
  }

  private FakeSchedule named(String name) {
    return rows.values().stream()
        .filter(row -> row.definition().name().equals(name))
        .findFirst()
        .orElse(null);
  }

  private static FlowException noSuchSchedule(String which) {
    return new FlowException(ErrorCode.NO_SUCH_SCHEDULE, "there is no schedule " + which);
  }

  private static FlowException invalid(String why) {
    return new FlowException(ErrorCode.INVALID_INPUT, why);
  }

  private static int between(String name, Integer value, int most, int absent) {
    if (value != null && (value < 1 || value > most)) {
      throw invalid(name + " must be from 1 to " + most);
    }
    return value == null ? absent : value;
  }

  private static long before(String cursor) {
    try {
      return cursor == null ? Long.MAX_VALUE : Long.parseLong(cursor);
    } catch (NumberFormatException e) {
      throw invalid("cursor must be a nextCursor of an earlier answer");
    }
  }
}
