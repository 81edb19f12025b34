package io.asyncflow.rules;

import static io.asyncflow.rules.TaskRows.NOW;
import static io.asyncflow.rules.TaskRows.aRow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.TaskStatus;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TaskActsTest {

  private static final String AGAIN = "; only an operator's retry runs it again";

  private static TaskRow in(TaskStatus status) {
    return (status == TaskStatus.EXECUTING ? aRow().heldBy("w") : aRow().inStatus(status)).build();
  }

  private static void assertRefused(UnaryOperator<TaskRow> act, TaskRow row, String why) {
    assertThatExceptionOfType(TransitionNotAllowedException.class)
        .isThrownBy(() -> act.apply(row))
        .withMessage(row.id() + ": " + why)
        .matches(e -> e.errorCode() == ErrorCode.TRANSITION_NOT_ALLOWED);
  }

  /** What each act makes of each status; {@code refused} if it is refused. */
  @ParameterizedTest
  @CsvSource({
    "WAITING,   CANCELLED, PAUSED,  WAITING,   refused, refused",
    "EXECUTING, CANCELLED, PAUSED,  EXECUTING, refused, WAITING",
    "PAUSED,    CANCELLED, PAUSED,  WAITING,   refused, refused",
    "SUCCESS,   refused,   refused, refused,   refused, refused",
    "FAILED,    refused,   refused, refused,   WAITING, refused",
    "CANCELLED, CANCELLED, refused, refused,   WAITING, refused"
  })
  void actsMoveTasksAsTheTableSays(
      TaskStatus status,
      String cancelled,
      String stopped,
      String resumed,
      String retried,
      String restarted) {
    TaskRow row = in(status);
    assertThat(after(TaskActs::cancelled, row)).isEqualTo(cancelled);
    assertThat(after(it -> TaskActs.paused(it, true), row)).isEqualTo(stopped);
    assertThat(after(TaskActs::resumed, row)).isEqualTo(resumed);
    assertThat(after(TaskActs::retried, row)).isEqualTo(retried);
    assertThat(after(TaskActs::restarted, row)).isEqualTo(restarted);
  }

  private static String after(UnaryOperator<TaskRow> act, TaskRow row) {
    try {
      return act.apply(row).status().name();
    } catch (TransitionNotAllowedException e) {
      return "refused";
    }
  }

  @Test
  void actWithNothingToDoLeavesTheRow() {
    TaskRow cancelled = in(TaskStatus.CANCELLED);
    assertThat(TaskActs.cancelled(cancelled)).isSameAs(cancelled);
    TaskRow paused = in(TaskStatus.PAUSED);
    assertThat(TaskActs.paused(paused, false)).isSameAs(paused);
    TaskRow waiting = in(TaskStatus.WAITING);
    assertThat(TaskActs.resumed(waiting)).isSameAs(waiting);
    assertThat(TaskActs.reassigned(waiting, Set.of(), waiting.lane())).isEqualTo(waiting);
  }

  @Test
  void refusalSaysWhatTheTaskIs() {
    TaskRow done = in(TaskStatus.SUCCESS);
    assertRefused(TaskActs::cancelled, done, "the task is final: SUCCESS");
    assertRefused(TaskActs::resumed, done, "the task is final: SUCCESS");
    assertRefused(
        TaskActs::retried,
        done,
        "only a failed or cancelled task can be retried, this one is SUCCESS");
    TaskRow failed = in(TaskStatus.FAILED);
    assertRefused(TaskActs::cancelled, failed, "the task is final: FAILED" + AGAIN);
    assertRefused(row -> TaskActs.paused(row, true), failed, "the task is final: FAILED" + AGAIN);
    assertRefused(
        row -> TaskActs.reassigned(row, Set.of(), Lane.OPEN),
        failed,
        "the task is final: FAILED" + AGAIN);
    assertRefused(
        TaskActs::restarted,
        in(TaskStatus.WAITING),
        "only an executing task can be restarted, this one is WAITING");
    assertRefused(
        row -> TaskActs.paused(row, false),
        in(TaskStatus.EXECUTING),
        "a worker holds it; stop=1 ends the hold and pauses it");
    assertRefused(
        row -> TaskActs.reassigned(row, Set.of("w"), Lane.OPEN),
        aRow().at(new JobPlace(7, 1, 3)).build(),
        "its job chooses the worker, which must have no other copy of the team");
  }

  @ParameterizedTest
  @EnumSource(
      value = TaskStatus.class,
      names = {"WAITING", "EXECUTING"})
  void pauseKeepsThePlaceAndSilencesEarlierHolds(TaskStatus status) {
    TaskRows before = aRow().heldBy("w").withEpoch(3).reportedUpTo(2, "r").dueAt(NOW - 5_000);
    TaskRow row = TaskActs.paused(before.inStatus(status).build(), true);
    assertThat(row.status()).isEqualTo(TaskStatus.PAUSED);
    assertThat(row.orderTime()).isEqualTo(NOW - 5_000);
    TaskRow resumed = TaskActs.resumed(row);
    assertThat(resumed.status()).isEqualTo(TaskStatus.WAITING);
    assertThat(resumed.orderTime()).isEqualTo(NOW - 5_000);
    assertThat(HoldFence.mayReport(resumed, 3)).isFalse();
    assertThat(resumed.reportId()).isNull();
  }

  @Test
  void retryGivesAllRetriesAndForgetsTheResult() {
    TaskRow row =
        TaskActs.retried(
            aRow()
                .inStatus(TaskStatus.FAILED)
                .withEpoch(3)
                .withPriority(2)
                .failedTimes(4)
                .failedUnexpectedly(1)
                .deliveredTimes(5)
                .withTexts("{}", "half")
                .build());
    assertThat(row.orderTime()).isEqualTo(NOW - 2_000);
    assertThat(row.crtRetryNum()).isZero();
    assertThat(row.unexpectedNum()).isZero();
    assertThat(row.deliveryCount()).isZero();
    assertThat(row.result()).isNull();
    assertThat(HoldFence.mayReport(row, 3)).isFalse();
  }

  @Test
  void acceptedReportIsRecognizedAfterARetry() {
    TaskRows failed = aRow().inStatus(TaskStatus.FAILED).withEpoch(3);
    assertThat(TaskActs.retried(failed.reportedUpTo(3, "r").build()).reportId()).isEqualTo("r");
    assertThat(TaskActs.retried(failed.reportedUpTo(2, "r").build()).reportId()).isNull();
  }

  @Test
  void holdOfAWorkerThatMayNoLongerHoldTheTaskEnds() {
    TaskRow held = aRow().heldBy("w").withEpoch(3).build();
    TaskRow stays = TaskActs.reassigned(held, Set.of("v", "w"), "a lane");
    assertThat(stays.status()).isEqualTo(TaskStatus.EXECUTING);
    assertThat(stays.lane()).isEqualTo("a lane");
    assertThat(TaskActs.reassigned(held, Set.of(), Lane.OPEN).status())
        .isEqualTo(TaskStatus.EXECUTING);
    TaskRow ended = TaskActs.reassigned(held, Set.of("v"), "a lane");
    assertThat(ended.status()).isEqualTo(TaskStatus.WAITING);
    assertThat(ended.lane()).isEqualTo("a lane");
    assertThat(HoldFence.mayReport(ended, 3)).isFalse();
  }

  @Test
  void lateReportOfAWorkerThatMayNoLongerHoldTheTaskIsRefused() {
    TaskRow swept = aRow().heldBy("w").withEpoch(3).inStatus(TaskStatus.WAITING).build();
    assertThat(HoldFence.mayReport(swept, 3)).isTrue();
    assertThat(HoldFence.mayReport(TaskActs.reassigned(swept, Set.of("w"), "a"), 3)).isTrue();
    assertThat(HoldFence.mayReport(TaskActs.reassigned(swept, Set.of("v"), "a"), 3)).isFalse();
  }
}
