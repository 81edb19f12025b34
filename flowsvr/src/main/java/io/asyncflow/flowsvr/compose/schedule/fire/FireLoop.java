package io.asyncflow.flowsvr.compose.schedule.fire;

import static java.util.stream.Collectors.toMap;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.BackgroundLoop;
import io.asyncflow.flowsvr.compose.schedule.core.FireLead;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleRow;
import io.asyncflow.flowsvr.compose.schedule.core.ScheduleStore;
import io.asyncflow.flowsvr.compose.schedule.core.SchedulesChanged;
import io.asyncflow.flowsvr.compose.schedule.slice.OwnedSlice;
import io.asyncflow.flowsvr.compose.schedule.slice.SchedulesInUse;
import io.asyncflow.flowsvr.compose.schedule.slice.SliceLeases;
import io.asyncflow.flowsvr.compose.schedule.slice.SliceUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Makes the fires of the schedules in this server's slices. It looks once a second, at the next
 * time that it knows of, and at news of changed schedules. Each look is one statement.
 *
 * <p>Not thread-safe; one thread runs the rounds.
 */
@Component
class FireLoop {

  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** A look also finds what comes before the next regular one. */
  private static final long NEAR_MS = PAUSE.toMillis() + 100;

  /** The most schedules in one look. */
  private static final int MAX_SCHEDULES = 1_000;

  private final ScheduleStore schedules;
  private final SliceLeases slices;
  private final SchedulesInUse inUse;
  private final LastRuns lastRuns;
  private final FireMaker maker;
  private final ScheduleChanges changes;
  private final Node node;
  private final long aheadMs;
  private Duration pause = PAUSE;
  private final BackgroundLoop loop =
      new BackgroundLoop("schedule-fires", () -> pause, this::round).exact();

  FireLoop(
      ScheduleStore schedules,
      SliceLeases slices,
      SchedulesInUse inUse,
      LastRuns lastRuns,
      FireMaker maker,
      ScheduleChanges changes,
      Node node,
      FireLead lead) {
    this.schedules = schedules;
    this.slices = slices;
    this.inUse = inUse;
    this.lastRuns = lastRuns;
    this.maker = maker;
    this.changes = changes;
    this.node = node;
    this.aheadMs = lead.ms();
  }

  @Bean
  BackgroundLoop fireLoopRounds() {
    return loop;
  }

  /** Looks at once. */
  @EventListener
  public void on(SchedulesChanged news) {
    loop.runSoon();
  }

  private void round() {
    pause = PAUSE;
    if (inUse.inUse()) {
      pause = runOnce();
    }
  }

  /** Looks once, and makes what has come; returns when to look again. */
  Duration runOnce() {
    long lookedAt = node.nanoTime();
    try (SliceUse use = slices.use()) {
      Map<Integer, Long> epochs =
          use.slices().stream().collect(toMap(OwnedSlice::slice, OwnedSlice::epoch));
      long near = look(epochs);
      long passed = TimeUnit.NANOSECONDS.toMillis(node.nanoTime() - lookedAt);
      return Duration.ofMillis(Math.min(PAUSE.toMillis(), Math.max(0, near - passed)));
    }
  }

  /**
   * Makes what has come in these slices.
   *
   * @param epochs of the slices, by number
   * @return after how many ms since the look there is more to make
   */
  private long look(Map<Integer, Long> epochs) {
    List<ScheduleRow> due = new ArrayList<>();
    long near = NEAR_MS;
    for (ScheduleRow row : schedules.due(epochs.keySet(), NEAR_MS, MAX_SCHEDULES)) {
      long left = row.position().wakeTime() - row.now();
      if (left <= 0) {
        due.add(row);
      } else {
        near = Math.min(near, left);
      }
    }
    List<PlannedSchedule> made = make(due, epochs);
    boolean isMore =
        made.stream().anyMatch(PlannedSchedule::hasMore)
            || due.size() == MAX_SCHEDULES && !made.isEmpty();
    return isMore ? 0 : near;
  }

  /** Plans and makes the fires of these schedules; returns the plans that were written. */
  private List<PlannedSchedule> make(List<ScheduleRow> due, Map<Integer, Long> epochs) {
    List<ScheduleRow> active = new ArrayList<>();
    for (ScheduleRow row : due) {
      if (row.problem() != null) {
        maker.refuse(row, row.problem());
      } else if (row.position().isActive()) {
        active.add(row);
      } else {
        maker.tryFor(row, () -> changes.resumeAfterTime(row));
      }
    }
    Set<Long> living = lastRuns.living(active);
    List<PlannedSchedule> plans = new ArrayList<>();
    for (ScheduleRow row : active) {
      boolean lives = living.contains(row.id());
      maker.tryFor(
          row,
          () ->
              plans.add(
                  new PlannedSchedule(
                      row, row.plan(lives, aheadMs), epochs.get(row.slice()), lives)));
    }
    return maker.make(plans);
  }
}
