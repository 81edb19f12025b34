package io.asyncflow.systemtest.check;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;

import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.systemtest.history.ScheduleAudit;
import io.asyncflow.systemtest.history.ScheduleAudit.Fire;
import io.asyncflow.systemtest.history.ScheduleAudit.Gap;
import io.asyncflow.systemtest.history.ScheduleAudit.Run;
import io.asyncflow.systemtest.history.ScheduleAudit.Schedule;
import io.asyncflow.systemtest.invariant.Invariant;
import io.asyncflow.systemtest.invariant.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/**
 * Holds the rows about schedules to the invariants 21 to 24 and 28.
 *
 * <p>It goes by the rows alone: what fires did is all in them, written by one clock. A deleted
 * schedule leaves its fires and runs, which are still held to 21, 23 and 24.
 *
 * <p>It knows the fire times of {@code every}, and of crons that name nothing but the second, as
 * {@code *} or as a step that divides a minute. To others, and to schedules that fire after their
 * last run, 22 is not applied. Thread-safe.
 */
public final class ScheduleChecker {

  private final Duration patience;

  /**
   * @param patience how long after its time an active schedule may be without a fate for it
   */
  public ScheduleChecker(Duration patience) {
    this.patience = patience;
  }

  /** Returns all violations, in the order of the invariants; empty if all is well. */
  public List<Violation> check(ScheduleAudit audit) {
    Look look = new Look(audit);
    look.atRuns();
    audit.schedules().forEach(look::atFates);
    audit.schedules().forEach(look::atSilence);
    audit.schedules().forEach(look::atOrder);
    look.atHolds();
    look.fires.values().forEach(look::atEpochs);
    look.atOwners();
    audit.schedules().forEach(look::atOverlap);
    look.violations.sort(Comparator.comparing(Violation::invariant));
    return look.violations;
  }

  /**
   * How long after its time the latest planned fire was made, of those schedules that are not
   * deleted and whose fires wait for no run; 0 if none was late.
   */
  public static Duration lateness(ScheduleAudit audit) {
    Set<Long> prompt = new HashSet<>();
    for (Schedule schedule : audit.schedules()) {
      if (schedule.overlap() == Overlap.ALLOW && schedule.afterMs() == null) {
        prompt.add(schedule.id());
      }
    }
    long latest =
        audit.fires().stream()
            .filter(fire -> fire.isDecided() && prompt.contains(fire.schedule()))
            .mapToLong(fire -> fire.makeTime() - fire.fireTime())
            .reduce(0, Math::max);
    return Duration.ofMillis(latest);
  }

  private record FireTime(long schedule, long time) {}

  private record SliceEpoch(int slice, long epoch) {}

  private final class Look {

    private final ScheduleAudit audit;
    private final List<Violation> violations = new ArrayList<>();
    private final Map<Long, List<Fire>> fires;
    private final Map<Long, List<Gap>> gaps;
    private final Map<String, Run> runs;
    private final Map<Long, Schedule> schedules;

    Look(ScheduleAudit audit) {
      this.audit = audit;
      this.fires =
          audit.fires().stream()
              .sorted(Comparator.comparingLong(Fire::fireTime))
              .collect(groupingBy(Fire::schedule));
      this.gaps = audit.gaps().stream().collect(groupingBy(Gap::schedule));
      this.runs = audit.runs().stream().collect(toMap(Run::id, Function.identity()));
      this.schedules = audit.schedules().stream().collect(toMap(Schedule::id, Function.identity()));
    }

    /** Fires and runs belong together one by one, but for runs that were cancelled. */
    void atRuns() {
      Map<FireTime, Fire> created = new HashMap<>();
      Set<FireTime> seen = new HashSet<>();
      for (Fire fire : audit.fires()) {
        FireTime time = new FireTime(fire.schedule(), fire.fireTime());
        if (!seen.add(time)) {
          found(Invariant.ONE_RUN_A_FIRE, fire, "has two rows");
        }
        if (fire.outcome() == FireOutcome.CREATED) {
          created.put(time, fire);
          Run run = runs.get(fire.run());
          if (run == null || !time.equals(new FireTime(run.schedule(), run.fireTime()))) {
            found(Invariant.ONE_RUN_A_FIRE, fire, "names " + fire.run() + ", which is not its run");
          }
        }
      }
      for (Run run : audit.runs()) {
        Fire fire = created.get(new FireTime(run.schedule(), run.fireTime()));
        if (!run.isCancelled() && (fire == null || !run.id().equals(fire.run()))) {
          found(
              Invariant.ONE_RUN_A_FIRE,
              run.schedule(),
              "run %s of %s belongs to no fire".formatted(run.id(), run.fireTime()));
        }
      }
    }

    void atFates(Schedule schedule) {
      Plan plan = Plan.of(schedule);
      if (plan == null) {
        return;
      }
      List<Fire> made = firesOf(schedule);
      List<Gap> passed = gaps.getOrDefault(schedule.id(), List.of());
      Map<Long, Fire> byTime = new HashMap<>();
      made.forEach(fire -> byTime.put(fire.fireTime(), fire));
      long from = planned(schedule, made);
      long until = until(schedule, made);
      for (long time = plan.after(from); time < until; time = plan.after(time)) {
        long now = time;
        Fire fire = byTime.get(time);
        boolean isGap = passed.stream().anyMatch(gap -> gap.includes(now));
        boolean isMade = fire != null && (fire.isDecided() || fire.manual());
        if (!isMade && !isGap) {
          found(
              Invariant.ONE_FATE_A_FIRE_TIME,
              schedule.id(),
              "%s has no fate%s".formatted(time, fire == null ? "" : " but " + fire.outcome()));
        } else if (isGap && fire != null && fire.isDecided()) {
          found(Invariant.ONE_FATE_A_FIRE_TIME, fire, "is in a gap, too");
        }
      }
      for (Fire fire : made) {
        if (fire.isDecided() && fire.fireTime() > from && !plan.has(fire.fireTime())) {
          found(Invariant.ONE_FATE_A_FIRE_TIME, fire, "is no fire time of the plan");
        }
      }
    }

    /** After its last change, and after the fires of the plan before that stayed. */
    private long planned(Schedule schedule, List<Fire> made) {
      long since = schedule.plannedSince();
      long kept =
          made.stream()
              .filter(fire -> fire.isDecided() && fire.makeTime() < since)
              .mapToLong(Fire::fireTime)
              .reduce(since, Math::max);
      return schedule.startTime() == null ? kept : Math.max(kept, schedule.startTime() - 1);
    }

    private long until(Schedule schedule, List<Fire> made) {
      if (schedule.nextFireTime() != null) {
        return schedule.nextFireTime();
      }
      return schedule.endTime() != null
          ? schedule.endTime()
          : made.stream().mapToLong(Fire::fireTime).max().orElse(0);
    }

    void atSilence(Schedule schedule) {
      Run last = schedule.lastRun() == null ? null : runs.get(schedule.lastRun());
      boolean waits =
          (schedule.overlap() == Overlap.WAIT || schedule.afterMs() != null)
              && last != null
              && !last.isFinal();
      if (schedule.state() != ScheduleState.ACTIVE || waits) {
        return;
      }
      if (schedule.nextFireTime() == null) {
        boolean isJob = last != null && last.endTime() != null;
        if (!isJob || audit.now() - last.endTime() > patience.toMillis()) {
          found(Invariant.ONE_FATE_A_FIRE_TIME, schedule.id(), "is silent for ever");
        }
      } else if (schedule.nextFireTime() < audit.now() - patience.toMillis()) {
        found(
            Invariant.ONE_FATE_A_FIRE_TIME,
            schedule.id(),
            "%s is due for %s ms"
                .formatted(schedule.nextFireTime(), audit.now() - schedule.nextFireTime()));
      }
    }

    /** What a caller withdraws is made again, and may then be later than a fire that stayed. */
    void atOrder(Schedule schedule) {
      Fire before = null;
      for (Fire fire : firesOf(schedule)) {
        if (fire.isDecided() && fire.makeTime() < schedule.calmUntil()) {
          if (before != null && fire.makeTime() < before.makeTime()) {
            found(Invariant.FIRES_RISE, fire, "was made before " + before.fireTime());
          }
          before = fire;
        }
      }
    }

    void atHolds() {
      for (Run run : audit.runs()) {
        if (run.firstTime() != 0 && run.firstTime() < run.fireTime()) {
          found(
              Invariant.FIRES_RISE,
              run.schedule(),
              "run %s of %s began %s ms before that"
                  .formatted(run.id(), run.fireTime(), run.fireTime() - run.firstTime()));
        }
      }
    }

    void atEpochs(List<Fire> ofSchedule) {
      long highest = 0;
      for (Fire fire : ofSchedule) {
        if (fire.isDecided()) {
          if (fire.epoch() < highest) {
            found(
                Invariant.SLICE_EPOCHS_RISE,
                fire,
                "has the epoch %s after %s".formatted(fire.epoch(), highest));
          }
          highest = Math.max(highest, fire.epoch());
        }
      }
    }

    void atOwners() {
      Map<SliceEpoch, String> owners = new HashMap<>();
      for (Fire fire : audit.fires()) {
        Schedule schedule = schedules.get(fire.schedule());
        if (schedule == null || !fire.isDecided()) {
          continue;
        }
        SliceEpoch epoch = new SliceEpoch(schedule.slice(), fire.epoch());
        String owner = owners.putIfAbsent(epoch, fire.node());
        if (owner != null && !owner.equals(fire.node())) {
          found(
              Invariant.SLICE_EPOCHS_RISE,
              fire,
              "%s was made by %s and %s".formatted(epoch, owner, fire.node()));
        }
        Long now = audit.sliceEpochs().get(schedule.slice());
        if (now == null || fire.epoch() > now) {
          found(Invariant.SLICE_EPOCHS_RISE, fire, "has %s, its slice %s".formatted(epoch, now));
        }
      }
    }

    void atOverlap(Schedule schedule) {
      if (schedule.overlap() == Overlap.ALLOW && schedule.afterMs() == null) {
        return;
      }
      Fire before = null;
      for (Fire fire : firesOf(schedule)) {
        if (fire.outcome() != FireOutcome.CREATED || fire.manual()) {
          continue;
        }
        if (before != null && fire.makeTime() > schedule.overlapSince()) {
          Long ended = endOf(before);
          if (ended == null || ended > fire.makeTime()) {
            found(
                Invariant.ONE_RUN_AT_A_TIME,
                fire,
                "was made at %s, and the run of %s ended at %s"
                    .formatted(fire.makeTime(), before.fireTime(), ended));
          }
        }
        before = fire;
      }
    }

    private Long endOf(Fire fire) {
      Run run = runs.get(fire.run());
      return run != null && run.endTime() != null ? run.endTime() : fire.endTime();
    }

    private List<Fire> firesOf(Schedule schedule) {
      return fires.getOrDefault(schedule.id(), List.of());
    }

    private void found(Invariant invariant, Fire fire, String what) {
      found(invariant, fire.schedule(), "fire of %s %s".formatted(fire.fireTime(), what));
    }

    private void found(Invariant invariant, long schedule, String what) {
      Schedule row = schedules.get(schedule);
      String name = row == null ? "deleted" : row.name();
      violations.add(new Violation(invariant, "schedule " + schedule + " " + name, what));
    }
  }

  /** The times anchor + k × interval. */
  private record Plan(long interval, long anchor) {

    private static final int SECONDS_A_MINUTE = 60;

    /** {@code null} if it is another. */
    static Plan of(Schedule schedule) {
      if (schedule.everyMs() != null) {
        return new Plan(schedule.everyMs(), Objects.requireNonNullElse(schedule.anchor(), 0L));
      }
      String cron = schedule.cron();
      if (cron == null || !cron.endsWith(" * * * * *")) {
        return null;
      }
      String seconds = cron.substring(0, cron.length() - " * * * * *".length());
      if (seconds.equals("*")) {
        return new Plan(1_000, 0);
      }
      if (!seconds.matches("\\*/[0-9]{1,2}")) {
        return null;
      }
      int step = Integer.parseInt(seconds.substring(2));
      return step > 0 && SECONDS_A_MINUTE % step == 0 ? new Plan(1_000L * step, 0) : null;
    }

    /** The first time after this one. */
    long after(long time) {
      return time + interval - Math.floorMod(time - anchor, interval);
    }

    boolean has(long time) {
      return Math.floorMod(time - anchor, interval) == 0;
    }
  }
}
