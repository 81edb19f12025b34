package io.asyncflow.rules.schedule;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.Overlap;
import java.util.Objects;
import java.util.Optional;

/**
 * What the end of a run changes in its schedule: the next fire after a pause, a run that has
 * waited, a schedule that pauses itself.
 *
 * @param after where the schedule stands now
 * @param pauses whether the schedule pauses itself
 * @param isAwaited whether the schedule has waited for this end
 */
public record RunEffect(FirePosition after, boolean pauses, boolean isAwaited) {

  /**
   * A run that has ended.
   *
   * @param id of the task or the job
   * @param time epoch ms
   * @param error why it failed; {@code null} if it did not
   */
  public record Ended(String id, TaskStatus status, long time, String error) {}

  /** The effect; none of an end that changes nothing, as of a success after a success. */
  public static Optional<RunEffect> of(FireRules rules, FirePosition at, Ended run, long now) {
    boolean isPaced = rules.afterMs() != null;
    boolean isLast = run.id().equals(at.lastRun());
    boolean isAwaited = isLast && (isPaced || rules.overlap() == Overlap.WAIT);
    if (run.status() == TaskStatus.CANCELLED && !isAwaited) {
      return Optional.empty(); // neither a failure nor a success
    }
    int streak =
        switch (run.status()) {
          case SUCCESS -> 0;
          case FAILED -> at.failStreak() + 1;
          default -> at.failStreak();
        };
    Long next =
        isPaced && isLast
            ? (Long)
                FireRules.afterLastFire(
                    at.lastFireTime(), rules.nextAfterEnd(at.lastFireTime(), run.time(), streak))
            : null;
    int most = rules.pauseAfterFailures();
    boolean pauses = most > 0 && streak >= most && at.isActive();
    String failure = run.error() == null ? "" : run.error() + "; ";
    String error = pauses ? failure + "paused after " + inARow(streak) : run.error();
    boolean isChange = streak != at.failStreak() || !Objects.equals(error, at.lastError());
    return isAwaited || isChange
        ? Optional.of(
            new RunEffect(
                at.afterEnd(pauses, isAwaited, next, now).failing(streak, error),
                pauses,
                isAwaited))
        : Optional.empty();
  }

  /** The failed runs in a row, for people. */
  public String inARow() {
    return inARow(after.failStreak());
  }

  private static String inARow(int streak) {
    return streak == 1 ? "1 failed run" : streak + " failed runs in a row";
  }
}
