package io.asyncflow.flowsvr.model;

import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.rules.schedule.FirePlan;
import io.asyncflow.rules.schedule.FireRules;
import io.asyncflow.rules.schedule.FireTimes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a schedule does, fire time by fire time, in the words of the documentation. It decides about
 * each fire time alone, where the server plans stretches of them.
 */
final class ModelSchedule {

  /** What became of a fire time. */
  enum Fate {
    RUN,
    SKIPPED,
    WITHDRAWN,
    MISSED,
    MERGED,
    PAUSED
  }

  static final long AHEAD_MS = 30_000;
  private static final long LATE_MS = 60_000;

  private final long id;
  private final NavigableMap<Long, Fate> fates = new TreeMap<>();
  private final Set<Long> manual = new TreeSet<>();
  private final Set<Long> living = new TreeSet<>();
  private final Set<Long> held = new TreeSet<>();
  private NewSchedule definition;
  private ScheduleState state = ScheduleState.ACTIVE;
  private Long next;
  private Long last;
  private long count;
  private int streak;
  private boolean isDeleted;

  ModelSchedule(long id, NewSchedule definition, long now) {
    this.id = id;
    this.definition = definition;
    this.next = first(now);
  }

  long id() {
    return id;
  }

  NewSchedule definition() {
    return definition;
  }

  ScheduleState state() {
    return state;
  }

  Long next() {
    return next;
  }

  long count() {
    return count;
  }

  NavigableMap<Long, Fate> fates() {
    return fates;
  }

  boolean isDeleted() {
    return isDeleted;
  }

  private boolean isPaced() {
    return definition.afterMs() != null;
  }

  private long first(long now) {
    return isPaced() ? afterLast(now) : following(now);
  }

  /** A fire time comes once. */
  private long afterLast(long time) {
    return last == null ? time : Math.max(time, last + 1);
  }

  /** The first fire time after {@code time}. */
  private long following(long time) {
    long behind = Math.floorMod(time - definition.anchor(), definition.everyMs());
    return time - behind + definition.everyMs();
  }

  /** Carries out what has come. */
  void tick(long now) {
    if (state != ScheduleState.ACTIVE || next == null || makeTime() > now) {
      return;
    }
    boolean lives = last != null && living.contains(last);
    if (room() <= 0) {
      end();
    } else if (lives && (isPaced() || definition.overlap() == Overlap.WAIT)) {
      return;
    } else if (isPaced()) {
      run(next);
      next = null;
    } else {
      fire(now, lives);
    }
  }

  private void fire(long now, boolean lives) {
    List<Long> due = new ArrayList<>();
    long time = next;
    for (; time <= now + (isMadeAhead() ? AHEAD_MS : 0); time = following(time)) {
      due.add(time);
    }
    List<Fate> caughtUp = due.stream().map(one -> caughtUp(one, now, due)).toList();
    boolean isOneRunOnly =
        definition.overlap() == Overlap.WAIT || definition.overlap() == Overlap.REPLACE;
    boolean isBusy = lives;
    for (int i = 0; i < due.size(); i++) {
      if (room() <= 0) {
        end();
        return;
      }
      Fate fate = caughtUp.get(i);
      if (fate == Fate.RUN && isOneRunOnly && caughtUp.lastIndexOf(Fate.RUN) > i) {
        fate = Fate.MERGED;
      } else if (fate == Fate.RUN && definition.overlap() == Overlap.SKIP && isBusy) {
        fate = Fate.SKIPPED;
      }
      if (fate == Fate.RUN) {
        run(due.get(i));
        isBusy = true;
      } else {
        fates.put(due.get(i), fate);
      }
    }
    next = time;
    if (room() <= 0) {
      end();
    }
  }

  /** What the catch-up policy makes of a fire time. */
  private Fate caughtUp(long time, long now, List<Long> due) {
    if (time >= now - LATE_MS) {
      return Fate.RUN;
    }
    if (time < now - definition.catchUpMs()) {
      return Fate.MISSED;
    }
    switch (definition.catchUp()) {
      case LATEST:
        return due.stream().anyMatch(other -> other > time && other <= now)
            ? Fate.MERGED
            : Fate.RUN;
      case ALL:
        long newer = due.stream().filter(o -> o > time && o < now - LATE_MS).count();
        return newer < definition.catchUpLimit() ? Fate.RUN : Fate.MISSED;
      default:
        return Fate.MISSED;
    }
  }

  private void run(long time) {
    if (definition.overlap() == Overlap.REPLACE && last != null) {
      living.remove(last);
      held.remove(last);
    }
    fates.put(time, Fate.RUN);
    living.add(time);
    last = time;
    count++;
  }

  private long room() {
    return definition.maxFires() == null ? Long.MAX_VALUE : definition.maxFires() - count;
  }

  private void end() {
    state = ScheduleState.ENDED;
    next = null;
  }

  private boolean isMadeAhead() {
    return definition.overlap() == Overlap.ALLOW
        && !isPaced()
        && definition.pauseAfterFailures() == 0;
  }

  /** When the next fire is made. How schedules are spread over the time before is the server's. */
  private long makeTime() {
    if (!isMadeAhead()) {
      return next;
    }
    FireTimes times = FireTimes.every(definition.everyMs(), definition.anchor());
    FireRules rules =
        new FireRules(id, times, null, null, null, Overlap.ALLOW, CatchUp.ALL, 0, 1, 0, 0, false);
    return FirePlan.wakeTime(rules, next, AHEAD_MS);
  }

  void save(NewSchedule changed, long now) {
    if (changed.equals(definition)) {
      return;
    }
    boolean isSamePlan =
        Objects.equals(changed.everyMs(), definition.everyMs())
            && Objects.equals(changed.afterMs(), definition.afterMs());
    Long withdrawn = withdraw(now);
    definition = changed;
    if (isSamePlan && withdrawn != null) {
      next = withdrawn;
    } else if (!isSamePlan || state == ScheduleState.ENDED) {
      next = first(now);
    }
    state = state == ScheduleState.ENDED ? ScheduleState.ACTIVE : state;
    if (room() <= 0) {
      end();
    }
  }

  void pause(long now) {
    Long withdrawn = withdraw(now);
    if (state == ScheduleState.ENDED && withdrawn == null) {
      return;
    }
    next = withdrawn == null ? next : withdrawn;
    state = ScheduleState.PAUSED;
  }

  void resume(boolean catchUp, long now) {
    if (state != ScheduleState.PAUSED) {
      return;
    }
    state = ScheduleState.ACTIVE;
    streak = 0;
    if (isPaced()) {
      next = next == null ? (Long) afterLast(now) : next;
    } else if (!catchUp) {
      for (; next <= now; next = following(next)) {
        fates.put(next, Fate.PAUSED);
      }
    }
  }

  void delete(long now) {
    withdraw(now);
    isDeleted = true;
  }

  /** Takes back what was made ahead; returns the first of it, or {@code null}. */
  private Long withdraw(long now) {
    List<Long> ahead =
        fates.tailMap(now, false).entrySet().stream()
            .filter(fate -> fate.getValue() == Fate.RUN)
            .map(Map.Entry::getKey)
            .filter(time -> !manual.contains(time))
            .toList();
    for (long time : ahead) {
      fates.put(time, Fate.WITHDRAWN);
      living.remove(time);
      count--;
    }
    if (ahead.isEmpty()) {
      return null;
    }
    last =
        fates.headMap(now, true).descendingMap().entrySet().stream()
            .filter(fate -> fate.getValue() == Fate.RUN)
            .map(Map.Entry::getKey)
            .filter(time -> !manual.contains(time))
            .findFirst()
            .orElse(null);
    return ahead.get(0);
  }

  /** Triggers a schedule with fire times; their places stay free for the plan. */
  void trigger(long now) {
    long time = now;
    while (fates.containsKey(time) || following(time - 1) == time) {
      time++;
    }
    fates.put(time, Fate.RUN);
    manual.add(time);
    living.add(time);
    count++;
  }

  /** A run was held; returns what is wrong with that, or {@code null}. */
  String hold(long time, long now) {
    if (!isDue(time, now)) {
      return "was held before its fire time";
    }
    if (!living.contains(time)) {
      return "was held, but lives not";
    }
    return held.add(time) ? null : "was held twice";
  }

  boolean isHeld(long time) {
    return held.contains(time);
  }

  /** Whether a task of it must be there to hold. */
  boolean hasWaiting(long now) {
    return living.stream().anyMatch(time -> isDue(time, now) && !held.contains(time));
  }

  /** A run that was triggered is due at once, also if it was given a later time than its own. */
  private boolean isDue(long time, long now) {
    return time <= now || manual.contains(time);
  }

  /** A held run has ended. */
  void report(long time, boolean isSuccess, long now) {
    held.remove(time);
    living.remove(time);
    boolean isDependent =
        isPaced() || definition.overlap() == Overlap.WAIT || definition.pauseAfterFailures() > 0;
    if (isDeleted || !isDependent) {
      return;
    }
    streak = isSuccess ? 0 : streak + 1;
    if (isPaced() && Objects.equals(last, time) && state != ScheduleState.ENDED) {
      boolean isCrashLoop = now - time <= 64 * definition.afterMs();
      long factor = isCrashLoop ? Math.min(64, 1L << Math.min(6, streak)) : 1;
      next = afterLast(now + definition.afterMs() * factor);
    }
    int most = definition.pauseAfterFailures();
    if (most > 0 && streak >= most && state == ScheduleState.ACTIVE) {
      state = ScheduleState.PAUSED;
    }
  }
}
