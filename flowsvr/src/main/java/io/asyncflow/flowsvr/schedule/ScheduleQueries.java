package io.asyncflow.flowsvr.schedule;

import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.FirePage;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.SchedulePage;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.flowsvr.access.Scope;
import io.asyncflow.flowsvr.schedule.core.FireDayStore;
import io.asyncflow.flowsvr.schedule.core.FireRow;
import io.asyncflow.flowsvr.schedule.core.FireStore;
import io.asyncflow.flowsvr.schedule.core.GapStore;
import io.asyncflow.flowsvr.schedule.core.NoSuchScheduleException;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.schedule.core.ScheduleStore.SliceOwner;
import io.asyncflow.rules.TaskType;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.stereotype.Service;

/** Reads schedules and their history. Thread-safe. */
@Service
class ScheduleQueries {

  /** Most of one page's gaps; more of them would be of a schedule that never fires in time. */
  private static final int GAPS = 1_000;

  private final ScheduleStore schedules;
  private final FireStore fires;
  private final FireDayStore days;
  private final GapStore gaps;

  ScheduleQueries(ScheduleStore schedules, FireStore fires, FireDayStore days, GapStore gaps) {
    this.schedules = schedules;
    this.fires = fires;
    this.days = days;
    this.gaps = gaps;
  }

  ScheduleRow require(long id) {
    return schedules.find(id).orElseThrow(() -> new NoSuchScheduleException("" + id));
  }

  ScheduleRow require(String name) {
    return schedules.find(name).orElseThrow(() -> new NoSuchScheduleException(name));
  }

  Schedule show(ScheduleRow row) {
    return show(row, schedules.sliceOwners());
  }

  private static Schedule show(ScheduleRow row, Map<Integer, SliceOwner> owners) {
    SliceOwner owner = owners.getOrDefault(row.slice(), SliceOwner.NONE);
    Long due = row.isActive() ? row.position().nextFireTime() : null;
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
        owner.owner(),
        owner.epoch(),
        row.version(),
        row.pauseUntil(),
        row.createTime(),
        row.modifyTime());
  }

  /**
   * A page of schedules, newest first.
   *
   * @param type {@code null} for all
   * @param scope schedules that create something beyond it are not on the list
   */
  SchedulePage list(Set<ScheduleState> states, TaskType type, long before, int limit, Scope scope) {
    List<ScheduleRow> rows = schedules.page(before, states, type, limit, scope);
    Map<Integer, SliceOwner> owners = schedules.sliceOwners();
    return new SchedulePage(
        rows.stream().map(row -> show(row, owners)).toList(),
        rows.size() < limit ? null : rows.get(rows.size() - 1).scheduleId());
  }

  /** A page of the history, newest first. A schedule that was deleted has its history still. */
  FirePage fires(long id, long before, int limit) {
    List<FireRow> found = new ArrayList<>();
    for (LocalDate day : days.existing().descendingSet()) {
      if (found.size() < limit && FireDayStore.startOf(day) < before) {
        found.addAll(fires.newest(id, day, before, limit - found.size()));
      }
    }
    if (found.isEmpty() && before == Long.MAX_VALUE) {
      require(id);
    }
    boolean isLast = found.size() < limit;
    long oldest = isLast ? 0 : found.get(found.size() - 1).fireTime();
    return new FirePage(
        found.stream().map(ScheduleQueries::show).toList(),
        gaps.between(id, oldest, before, GAPS),
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
