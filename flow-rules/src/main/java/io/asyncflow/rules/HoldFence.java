package io.asyncflow.rules;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.StoredText;
import io.asyncflow.api.TaskStatus;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Decides which hold of a task may still write: the last one, by its own worker, until its report
 * is accepted or the task is final. A hold whose lease has run out may still write until the task
 * is held again.
 *
 * <p>The fence applies to reports and to all else that only the holder may write. Pure functions of
 * the row as it was read.
 */
public final class HoldFence {

  private HoldFence() {}

  /** Whether a report is accepted, was accepted before, or is refused. */
  public static ReportResult verdict(TaskRow row, Report report) {
    boolean isRepeat =
        report.reportId() != null
            && report.reportId().equals(row.reportId())
            && report.leaseEpoch() == row.reportedEpoch();
    if (isRepeat) {
      return ReportResult.alreadyDone(report.taskId());
    }
    return refusal(row, report.leaseEpoch(), report.workerId())
        .map(refusal -> ReportResult.refused(report.taskId(), refusal.code(), refusal.why()))
        .orElseGet(() -> textVerdict(row, report));
  }

  /**
   * A run stores the texts that its report refers to under the key of its own task. A reference to
   * a text of another task was written by somebody else, and the next reader, who would read it
   * with rights of its own, must not do so for them.
   */
  private static ReportResult textVerdict(TaskRow row, Report report) {
    return Stream.of(report.taskContext(), report.result())
        .filter(text -> text != null && !text.equals(row.context()))
        .flatMap(text -> foreignText(row.id(), text).stream())
        .findFirst()
        .map(key -> ReportResult.refused(report.taskId(), ErrorCode.NO_SUCH_OBJECT, noObject(key)))
        .orElseGet(() -> ReportResult.accepted(report.taskId()));
  }

  /** The key of a stored text of another task, for which this text stands. */
  private static Optional<StoreKey> foreignText(TaskId own, String text) {
    return StoredText.parse(text)
        .map(StoredText::key)
        .filter(key -> !key.taskId().equals(own.toString()));
  }

  /**
   * Requires that a text which a run of this task hands on stands for no stored text of another
   * task.
   *
   * @throws FlowException with {@link ErrorCode#NO_SUCH_OBJECT} if it does
   */
  public static void requireOwn(TaskId own, String text) {
    foreignText(own, text)
        .ifPresent(
            key -> {
              throw new FlowException(ErrorCode.NO_SUCH_OBJECT, noObject(key));
            });
  }

  private static String noObject(StoreKey key) {
    return "this task has no object " + key;
  }

  /** Why a hold may not write. */
  private record Refusal(ErrorCode code, String why) {}

  /** Empty if the hold of this epoch may report. */
  private static Optional<Refusal> refusal(TaskRow row, int epoch, String workerId) {
    if (row.status().isFinal()) {
      return Optional.of(
          new Refusal(
              ErrorCode.TRANSITION_NOT_ALLOWED, TransitionNotAllowedException.end(row.status())));
    }
    if (row.status() == TaskStatus.PAUSED) {
      return lost("the task was paused, which ended its hold");
    }
    if (epoch < row.leaseEpoch()) {
      return lost("a newer hold has the epoch " + row.leaseEpoch());
    }
    if (epoch != row.leaseEpoch() || !row.workerId().equals(workerId)) {
      return lost("this worker never held the task with the epoch " + epoch);
    }
    if (epoch > row.reportedEpoch()) {
      return Optional.empty();
    }
    return row.endedByOperator()
        ? lost("an operator ended the hold with the epoch " + epoch)
        : lost("the epoch " + epoch + " has reported already");
  }

  private static Optional<Refusal> lost(String why) {
    return Optional.of(new Refusal(ErrorCode.LEASE_LOST, why));
  }

  /** As {@link #require} by the row's own worker, but returns false for a refusal. */
  public static boolean mayReport(TaskRow row, int epoch) {
    return refusal(row, epoch, row.workerId()).isEmpty();
  }

  /**
   * Requires that a report of this hold would be accepted.
   *
   * @throws LeaseLostException if a newer hold exists, this hold has reported, or it never existed
   * @throws TransitionNotAllowedException if the task is final
   */
  public static void require(TaskRow row, int epoch, String workerId) {
    refusal(row, epoch, workerId)
        .ifPresent(
            refusal -> {
              throw refusal.code() == ErrorCode.LEASE_LOST
                  ? new LeaseLostException(row.id(), refusal.why())
                  : new TransitionNotAllowedException(row.id(), refusal.why());
            });
  }
}
