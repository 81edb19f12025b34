package io.asyncflow.systemtest.worker;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import java.util.List;

/** Another client, with the crash points that lie between a worker and its server. */
final class MortalFlowClient extends ForwardingFlowClient {

  private final CrashPoint crashPoint;

  MortalFlowClient(FlowClient client, CrashPoint crashPoint) {
    super(client);
    this.crashPoint = crashPoint;
  }

  @Override
  public HoldAnswer hold(HoldRequest request) {
    HoldAnswer answer = super.hold(request);
    if (!answer.tasks().isEmpty()) {
      crashPoint.reached(CrashPoint.HELD);
    }
    return answer;
  }

  @Override
  public HoldAnswer hold(HoldRequest request, List<Report> reports) {
    crashPoint.reached(CrashPoint.BEFORE_REPORT);
    HoldAnswer answer = super.hold(request, reports);
    crashPoint.reached(CrashPoint.AFTER_REPORT);
    if (!answer.tasks().isEmpty()) {
      crashPoint.reached(CrashPoint.HELD);
    }
    return answer;
  }

  @Override
  public List<ReportResult> report(List<Report> reports) {
    crashPoint.reached(CrashPoint.BEFORE_REPORT);
    List<ReportResult> results = super.report(reports);
    crashPoint.reached(CrashPoint.AFTER_REPORT);
    return results;
  }
}
