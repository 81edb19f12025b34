package io.asyncflow.rules.schedule;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.Overlap;
import java.util.Objects;
import java.util.Optional;

/**
 * What the end of a run changes in its schedule: the next fire after a pause, a run that has
 * waited, a schedule that pauses itself.
 *
 * @param failStreak failed runs in a row
 * @param pauses whether the schedule pauses itself
 * @param isAwaited whether the schedule has waited for this end
 * @param nextFireTime epoch ms; {@code null} if the end does not decide about it
 * @param error why the last run failed; {@code null} if it did not
 */
public record RunEffect(
    int failStreak, boolean pauses, boolean isAwaited, Long nextFireTime, String error) {

  /**
   * Where the schedule stands.
   *
   * @param lastFireTime epoch ms; {@code null} before the first fire by plan
   */
  public record Standing(boolean isActive, Long lastFireTime, int failStreak, String lastError) {}

  /**
   * A run that has ended.
   *
   * @param time epoch ms
   * @param isLast whether it is the run of the last fire by plan
   * @param error why it failed; {@code null} if it did not
   */
  public record Ended(TaskStatus status, long time, boolean isLast, String error) {}

  /** The effect; none of an end that changes nothing, as of a success after a success. */
  public static Optional<RunEffect> of(FireRules rules, Standing at, Ended run) {
    boolean isPaced = rules.afterMs() != null;
    boolean isAwaited = run.isLast() && (isPaced || rules.overlap() == Overlap.WAIT);
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
        isPaced && run.isLast()
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
        ? Optional.of(new RunEffect(streak, pauses, isAwaited, next, error))
        : Optional.empty();
  }

  /** The failed runs in a row, for people. */
  public String inARow() {
    return inARow(failStreak);
  }

  private static String inARow(int streak) {
    return streak == 1 ? "1 failed run" : streak + " failed runs in a row";
  }
}
