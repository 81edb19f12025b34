package io.asyncflow.systemtest.check;

import static io.asyncflow.systemtest.invariant.Invariant.EPOCHS_RISE;
import static io.asyncflow.systemtest.invariant.Invariant.NOT_BEFORE_IT_IS_DUE;
import static io.asyncflow.systemtest.invariant.Invariant.NO_SWEEP_OF_A_LIVE_LEASE;

import io.asyncflow.api.Outcome;
import io.asyncflow.systemtest.evidence.Evidence;
import io.asyncflow.systemtest.evidence.TaskStory;
import io.asyncflow.systemtest.evidence.TaskStory.Beat;
import io.asyncflow.systemtest.evidence.TaskStory.Create;
import io.asyncflow.systemtest.evidence.TaskStory.Delivery;
import io.asyncflow.systemtest.evidence.TaskStory.Hold;
import io.asyncflow.systemtest.invariant.Rules;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Who was given a task, and when. */
final class HoldCheck implements Check {

  /** The database counts whole milliseconds on a clock that is slewed against the monotonic one. */
  private static final long TOLERANCE = Duration.ofMillis(20).toNanos();

  private final Rules rules;

  HoldCheck(Rules rules) {
    this.rules = rules;
  }

  @Override
  public void inspect(Evidence evidence, Findings findings) {
    for (TaskStory story : evidence.all()) {
      inspectEpochs(story, findings);
      inspectDueTimes(story, findings);
      inspectSweeps(story, findings);
    }
  }

  private static void inspectEpochs(TaskStory story, Findings findings) {
    for (Hold hold : story.holds()) {
      for (Hold other : story.holds()) {
        if (hold == other || hold.isSameCallAs(other)) {
          continue;
        }
        if (hold.epoch() == other.epoch() && hold.at() >= other.at()) {
          findings.add(
              EPOCHS_RISE,
              story.task(),
              "epoch %s was given to %s and to %s"
                  .formatted(hold.epoch(), other.worker(), hold.worker()));
        }
        if (other.at() < hold.invokedAt() && hold.epoch() < other.epoch()) {
          findings.add(
              EPOCHS_RISE,
              story.task(),
              "epoch " + hold.epoch() + " was given after epoch " + other.epoch());
        }
      }
    }
  }

  private void inspectDueTimes(TaskStory story, Findings findings) {
    for (Hold hold : story.holdsByEpoch()) {
      long due =
          lastCounted(story, hold)
              .map(report -> dueAfter(story, report))
              .orElseGet(() -> dueAfterCreate(story));
      if (hold.at() < due - TOLERANCE) {
        findings.add(
            NOT_BEFORE_IT_IS_DUE,
            story.task(),
            "epoch %s was given %s ms before it was due"
                .formatted(hold.epoch(), Duration.ofNanos(due - hold.at()).toMillis()));
      }
    }
  }

  /** The last report that made the task wait before this hold. */
  private static Optional<Delivery> lastCounted(TaskStory story, Hold hold) {
    return story.deliveries().stream()
        .filter(report -> report.stands() && report.epoch() < hold.epoch())
        .filter(report -> report.invokedAt() < hold.at())
        .max((a, b) -> Integer.compare(a.epoch(), b.epoch()))
        .flatMap(last -> story.counted(last.epoch()));
  }

  private long dueAfter(TaskStory story, Delivery report) {
    Duration delay = Duration.ZERO;
    if (report.delayMs() != null) {
      delay = Duration.ofMillis(report.delayMs());
    } else if (report.outcome() == Outcome.RETRY) {
      delay =
          story.holdsByEpoch().stream()
              .filter(hold -> hold.epoch() == report.epoch() && hold.failures() != null)
              .findFirst()
              .map(hold -> rules.retryDelay(hold.failures() + 1))
              .orElse(Duration.ZERO);
    }
    return writtenAfter(story, report) + delay.toNanos();
  }

  /** A report that was done already was written by an earlier delivery, whose answer was lost. */
  private static long writtenAfter(TaskStory story, Delivery report) {
    return story.deliveries().stream()
        .filter(other -> !report.isAccepted() && other.epoch() == report.epoch())
        .filter(other -> other.isOpen() && Objects.equals(other.key(), report.key()))
        .mapToLong(Delivery::invokedAt)
        .reduce(report.invokedAt(), Math::min);
  }

  private static long dueAfterCreate(TaskStory story) {
    return story.creates().stream()
        .filter(create -> create.delayMs() != null)
        .mapToLong(create -> create.invokedAt() + Duration.ofMillis(create.delayMs()).toNanos())
        .min()
        .orElse(Long.MIN_VALUE + TOLERANCE);
  }

  /**
   * A hold that nobody reported and no operator ended was ended by a sweep, if the task was given
   * away again.
   */
  private static void inspectSweeps(TaskStory story, Findings findings) {
    List<Hold> holds = story.holdsByEpoch();
    for (int i = 0; i + 1 < holds.size(); i++) {
      Hold hold = holds.get(i);
      Hold next = holds.get(i + 1);
      boolean swept =
          story.counted(hold.epoch()).isEmpty()
              && story.open(hold.epoch()).isEmpty()
              && !story.mayBeRevoked(hold.invokedAt(), next.at());
      long leaseEnd = leaseEndAtLeast(story, hold);
      if (swept && next.at() > hold.at() && next.at() < leaseEnd - TOLERANCE) {
        findings.add(
            NO_SWEEP_OF_A_LIVE_LEASE,
            story.task(),
            "epoch %s was given away %s ms before its lease ended"
                .formatted(hold.epoch(), Duration.ofNanos(leaseEnd - next.at()).toMillis()));
      }
    }
  }

  /**
   * The lease was given after its hold was asked for, after the task was created, and after the
   * report before it; and renewed after the beat was sent.
   */
  private static long leaseEndAtLeast(TaskStory story, Hold hold) {
    long givenAfter = hold.invokedAt();
    for (Create create : story.creates()) {
      givenAfter = Math.max(givenAfter, create.invokedAt());
    }
    for (Delivery report : story.deliveries()) {
      if (report.isAccepted() && report.epoch() < hold.epoch()) {
        givenAfter = Math.max(givenAfter, report.invokedAt());
      }
    }
    long end = givenAfter + millis(hold.leaseMs() == null ? 0 : hold.leaseMs());
    for (Beat beat : story.beats()) {
      if (beat.epoch() == hold.epoch()) {
        end = Math.max(end, beat.invokedAt() + millis(beat.leaseMs()));
      }
    }
    return end;
  }

  private static long millis(long ms) {
    return Duration.ofMillis(ms).toNanos();
  }
}
