package io.asyncflow.fake;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.FirePage;
import io.asyncflow.api.schedule.ScheduleFire;
import io.asyncflow.api.schedule.ScheduleGap;
import io.asyncflow.api.schedule.TriggeredRun;
import io.asyncflow.rules.schedule.FireGap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/** What became of the fire times of a schedule. Not thread-safe. */
final class FireHistory {

  /** The server that makes all fires. */
  static final String NODE = "fake";

  /** The number of changes of the owner of each slice: the first owner keeps it. */
  static final long EPOCH = 1;

  private static final int MAX_GAPS = 1_000;

  private final NavigableMap<Long, ScheduleFire> fires = new TreeMap<>();
  private final NavigableMap<Long, ScheduleGap> gaps = new TreeMap<>();

  boolean isEmpty() {
    return fires.isEmpty();
  }

  boolean has(long fireTime) {
    return fires.containsKey(fireTime);
  }

  /** Whether this fire has a task or a job. */
  boolean hasRun(long fireTime) {
    return has(fireTime) && fires.get(fireTime).outcome() == FireOutcome.CREATED;
  }

  /** Records a fire that created a run, also where it created nothing before. */
  void create(long fireTime, boolean isManual, TriggeredRun run, long now) {
    fires.put(
        fireTime,
        new ScheduleFire(
            fireTime,
            FireOutcome.CREATED,
            isManual,
            now,
            run.taskId(),
            run.jobId(),
            null,
            null,
            null,
            NODE,
            EPOCH));
  }

  /** Records that a fire creates nothing, unless it has a fate already. */
  void leaveOut(long fireTime, FireOutcome outcome, long now) {
    fires.putIfAbsent(
        fireTime,
        new ScheduleFire(fireTime, outcome, false, now, null, null, null, null, null, NODE, EPOCH));
  }

  void withdraw(long fireTime) {
    fires.computeIfPresent(
        fireTime, (time, fire) -> changed(fire, FireOutcome.WITHDRAWN, null, null));
  }

  /**
   * Records the end of a run.
   *
   * @param status {@code null} if the run lives again
   * @return false if that is recorded already, or if the fire has another run by now
   */
  boolean end(long fireTime, TriggeredRun run, TaskStatus status, long now) {
    ScheduleFire fire = fires.get(fireTime);
    Integer code = status == null ? null : (Integer) status.code();
    if (fire == null || !run.equals(runOf(fire)) || Objects.equals(fire.status(), code)) {
      return false;
    }
    fires.put(fireTime, changed(fire, FireOutcome.CREATED, code, code == null ? null : (Long) now));
    return true;
  }

  private static ScheduleFire changed(
      ScheduleFire fire, FireOutcome outcome, Integer status, Long endTime) {
    return new ScheduleFire(
        fire.fireTime(),
        outcome,
        fire.manual(),
        fire.makeTime(),
        fire.taskId(),
        fire.jobId(),
        status,
        endTime,
        endTime == null ? null : (Long) (endTime - Math.max(fire.fireTime(), fire.makeTime())),
        fire.node(),
        fire.epoch());
  }

  /** Records fire times that make nothing; a gap that begins at the same time is replaced. */
  void add(FireGap gap) {
    gaps.put(gap.from(), new ScheduleGap(gap.from(), gap.to(), gap.fires(), gap.reason()));
  }

  /** The fires after this time that the plan has made, oldest first. */
  List<ScheduleFire> madeAhead(long now) {
    return fires.tailMap(now, false).values().stream()
        .filter(fire -> fire.outcome() == FireOutcome.CREATED && !fire.manual())
        .toList();
  }

  /** The last fire before this time that created something by plan; {@code null} for none. */
  ScheduleFire lastPlanned(long before) {
    return fires.headMap(before, false).descendingMap().values().stream()
        .filter(fire -> fire.outcome() == FireOutcome.CREATED && !fire.manual())
        .findFirst()
        .orElse(null);
  }

  /** What the fire of this time created; {@code null} if there is none. */
  TriggeredRun runAt(long fireTime) {
    ScheduleFire fire = fires.get(fireTime);
    return fire == null ? null : runOf(fire);
  }

  /** What a fire created; {@code null} if it created nothing, or if that was withdrawn. */
  static TriggeredRun runOf(ScheduleFire fire) {
    return fire.outcome() == FireOutcome.CREATED
        ? new TriggeredRun(fire.taskId(), fire.jobId())
        : null;
  }

  /** A page, newest first. */
  FirePage page(long before, int limit) {
    List<ScheduleFire> page =
        fires.headMap(before, false).descendingMap().values().stream().limit(limit).toList();
    boolean isLast = page.size() < limit;
    long oldest = isLast ? 0 : page.get(limit - 1).fireTime();
    Map<Long, ScheduleGap> ofPage = gaps.subMap(oldest, true, before, false).descendingMap();
    return new FirePage(
        page,
        ofPage.values().stream().limit(MAX_GAPS).toList(),
        isLast ? null : Long.toString(oldest));
  }
}
