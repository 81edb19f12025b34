package io.asyncflow.flowsvr.compose.schedule;

import static java.util.stream.Collectors.toMap;

import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.FirePage;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.SchedulePage;
import io.asyncflow.flowsvr.compose.schedule.core.FireRow;
import io.asyncflow.flowsvr.compose.schedule.core.FireStore;
import io.asyncflow.flowsvr.compose.schedule.core.NoSuchScheduleException;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.compose.schedule.slice.SliceStore;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.rules.field.ScheduleFields;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.springframework.stereotype.Service;

/** Reads schedules and their history. Thread-safe. */
@Service
class ScheduleQueries {

  /** Most of one page's gaps; more of them would be of a schedule that never fires in time. */
  private static final int GAPS = 1_000;

  private final ScheduleStore schedules;
  private final FireStore fires;
  private final SliceStore slices;

  ScheduleQueries(ScheduleStore schedules, FireStore fires, SliceStore slices) {
    this.schedules = schedules;
    this.fires = fires;
    this.slices = slices;
  }

  ScheduleRow require(long id) {
    return schedules.find(id).orElseThrow(() -> new NoSuchScheduleException("" + id));
  }

  ScheduleRow require(String name) {
    return schedules.find(name).orElseThrow(() -> new NoSuchScheduleException(name));
  }

  Schedule show(ScheduleRow row) {
    return show(List.of(row)).get(0);
  }

  private List<Schedule> show(List<ScheduleRow> rows) {
    Map<Integer, SliceStore.Row> owners =
        slices.all().stream().collect(toMap(SliceStore.Row::slice, Function.identity()));
    return rows.stream().map(row -> show(row, owners.get(row.slice()))).toList();
  }

  /**
   * @param owner {@code null} if a change by SQL has deleted its slice
   */
  private static Schedule show(ScheduleRow row, SliceStore.Row owner) {
    Long due = row.position().isActive() ? row.position().nextFireTime() : null;
    return new Schedule(
        row.scheduleId(),
        row.definition(),
        row.state(),
        row.position().nextFireTime(),
        row.position().lastFireTime(),
        row.position().fireCount(),
        row.position().failStreak(),
        row.problem() == null ? row.position().lastError() : row.problem(),
        due == null ? 0 : Math.max(0, row.now() - due),
        row.slice(),
        owner == null || owner.isOver() ? null : owner.owner(),
        owner == null ? 0 : owner.epoch(),
        row.version(),
        row.position().pauseUntil(),
        row.createTime(),
        row.modifyTime());
  }

  /**
   * A page of schedules, newest first.
   *
   * @param scope schedules that create something beyond it are not on the list
   */
  SchedulePage list(ScheduleFields.Listed listed, Scope scope) {
    List<ScheduleRow> rows = schedules.page(listed, scope);
    return new SchedulePage(
        show(rows), rows.size() < listed.limit() ? null : rows.get(rows.size() - 1).scheduleId());
  }

  /** A page of the history, newest first. A schedule that was deleted has its history still. */
  FirePage fires(long id, long before, int limit) {
    List<FireRow> found = fires.newest(id, before, limit, false, fires.existing().descendingSet());
    if (found.isEmpty() && before == Long.MAX_VALUE) {
      require(id);
    }
    boolean isLast = found.size() < limit;
    long oldest = isLast ? 0 : found.get(found.size() - 1).fireTime();
    return new FirePage(
        found.stream().map(ScheduleQueries::show).toList(),
        fires.gaps(id, oldest, before, GAPS),
        isLast ? null : Long.toString(oldest));
  }

  private static ScheduleFire show(FireRow fire) {
    Long end = fire.outcome() == FireOutcome.CREATED ? fire.endTime() : null;
    return new ScheduleFire(
        fire.fireTime(),
        fire.outcome(),
        fire.manual(),
        fire.makeTime(),
        fire.run() == null || fire.run().task() == null ? null : fire.run().toString(),
        fire.run() == null || fire.run().task() != null ? null : fire.run().toString(),
        fire.endStatus(),
        end,
        end == null ? null : (Long) (end - Math.max(fire.fireTime(), fire.makeTime())),
        fire.node(),
        fire.sliceEpoch());
  }
}
