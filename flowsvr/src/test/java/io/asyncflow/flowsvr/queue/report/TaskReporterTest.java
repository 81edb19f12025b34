package io.asyncflow.flowsvr.queue.report;

import static io.asyncflow.rules.TaskRows.aRow;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.ReportResult.Verdict;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskRows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The fence as a table: who is accepted, who is told that it is done, and who is refused. */
class TaskReporterTest {

  private final TaskRows held = aRow().withEpoch(3).reportedUpTo(2, "r2").heldBy("w");

  @Test
  void holderIsAccepted() {
    assertAccepted(held.build(), "w", 3, "r3");
    assertAccepted(held.build(), "w", 3, null);
  }

  @Test
  void holderIsAcceptedAfterASweepGaveTheTaskBack() {
    assertAccepted(held.inStatus(TaskStatus.WAITING).build(), "w", 3, "r3");
  }

  @Test
  void anybodyElseIsRefused() {
    assertRefused(8050, held.build(), "x", 3, "r3");
    assertRefused(8050, held.build(), "W", 3, "r3");
    assertRefused(8050, held.build(), "", 3, "r3");
  }

  @Test
  void anyOtherEpochIsRefused() {
    assertRefused(8050, held.build(), "w", 2, "other");
    assertRefused(8050, held.build(), "w", 4, "r4");
    assertRefused(8050, held.build(), "w", 0, "r0");
    assertRefused(8050, held.build(), "w", -1, "r0");
  }

  @Test
  void secondReportOfAnEpochIsRefused() {
    TaskRow row = held.reportedUpTo(3, "r3").inStatus(TaskStatus.WAITING).build();
    assertRefused(8050, row, "w", 3, "another");
    assertRefused(8050, row, "w", 3, null);
  }

  @Test
  void sameReportIsDoneUntilALaterEpochHasReported() {
    assertDone(held.reportedUpTo(3, "r3").inStatus(TaskStatus.WAITING).build(), "w", 3, "r3");
    assertDone(held.reportedUpTo(2, "r2").withEpoch(3).build(), "w", 2, "r2"); // held anew since
    assertRefused(8050, held.reportedUpTo(3, "r3").withEpoch(4).build(), "w", 2, "r2");
  }

  @Test
  void sameIdInAnotherEpochIsAnotherReport() {
    assertAccepted(held.reportedUpTo(2, "r").build(), "w", 3, "r");
  }

  @Test
  void reportWithoutAnIdIsNeverTakenForARepeat() {
    TaskRow row = held.reportedUpTo(3, null).inStatus(TaskStatus.WAITING).build();
    assertRefused(8050, row, "w", 3, null);
  }

  @ParameterizedTest
  @EnumSource(
      value = TaskStatus.class,
      names = {"SUCCESS", "FAILED", "CANCELLED"})
  void finalTaskTakesNoReport(TaskStatus status) {
    assertRefused(8051, held.inStatus(status).build(), "w", 3, "r3");
    assertRefused(8051, held.inStatus(status).build(), "x", 1, "r3");
    assertDone(held.reportedUpTo(3, "r3").inStatus(status).build(), "w", 3, "r3");
  }

  @Test
  void taskThatNobodyHeldTakesNoReport() {
    assertRefused(8050, aRow().build(), "", 0, null);
    assertRefused(8050, aRow().build(), "w", 0, "r");
    assertRefused(8050, aRow().build(), "w", 1, "r");
  }

  @Test
  void taskThatIsNotThereTakesNoReport() {
    assertRefused(8035, null, "w", 1, "r");
  }

  private static void assertAccepted(TaskRow row, String worker, int epoch, String reportId) {
    assertThat(judge(row, worker, epoch, reportId).outcome()).isEqualTo(Verdict.ACCEPTED);
  }

  private static void assertDone(TaskRow row, String worker, int epoch, String reportId) {
    ReportResult result = judge(row, worker, epoch, reportId);
    assertThat(result.outcome()).isEqualTo(Verdict.ALREADY_DONE);
    assertThat(result.code()).isZero();
  }

  private static void assertRefused(
      int code, TaskRow row, String worker, int epoch, String reportId) {
    ReportResult result = judge(row, worker, epoch, reportId);
    assertThat(result.outcome()).isEqualTo(Verdict.REFUSED);
    assertThat(result.code()).isEqualTo(code);
    assertThat(result.taskId()).isEqualTo(TaskRows.id().toString());
    assertThat(result.msg()).isNotBlank();
  }

  private static ReportResult judge(TaskRow row, String worker, int epoch, String reportId) {
    return TaskReporter.judge(
        row,
        ParsedReport.of(
            Report.of(TaskRows.id().toString(), worker, epoch, Outcome.SUCCESS)
                .withReportId(reportId)),
        TaskTypeConfig.of(TaskTypeSettings.named("lark")));
  }
}
