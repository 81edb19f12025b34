package io.asyncflow.fake;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import java.util.Optional;
import java.util.function.Predicate;

/** What a test makes go wrong at a {@link FakeFlowServer}, guarded by its lock. */
final class FakeFaults {

  private static final String WHY = "refused by the test";

  boolean isDown;
  int answersToSwallow;
  Predicate<Report> refusedReports = report -> false;
  ErrorCode reportRefusal;

  /** {@code null} to store objects. */
  ErrorCode objectRefusal;

  /** The beginning of a call: it fails while the server is down. */
  void before() {
    if (isDown) {
      throw new FlowUnreachableException("the fake flowsvr is down", null);
    }
  }

  /** The end of a call, which has taken effect: its answer may get lost. */
  void after() {
    if (answersToSwallow > 0) {
      answersToSwallow--;
      throw new FlowUnreachableException("the answer of the fake flowsvr got lost", null);
    }
  }

  Optional<ReportResult> refusalOf(Report report) {
    return refusedReports.test(report)
        ? Optional.of(ReportResult.refused(report.taskId(), reportRefusal, WHY))
        : Optional.empty();
  }

  void requireObjects() {
    if (objectRefusal != null) {
      throw new FlowException(objectRefusal, WHY);
    }
  }
}
