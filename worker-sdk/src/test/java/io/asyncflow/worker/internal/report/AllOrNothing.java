package io.asyncflow.worker.internal.report;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import java.util.List;
import java.util.function.Predicate;

/** Refuses a whole request for one report in it, and looks at none that come with a hold. */
public final class AllOrNothing extends ForwardingFlowClient {

  private final Predicate<Report> bad;
  private final ErrorCode code;

  public AllOrNothing(FlowClient server, Predicate<Report> bad, ErrorCode code) {
    super(server);
    this.bad = bad;
    this.code = code;
  }

  /** As a server does that cannot read the body. */
  public AllOrNothing(FlowClient server, Predicate<Report> bad) {
    this(server, bad, ErrorCode.MALFORMED_BODY);
  }

  @Override
  public List<ReportResult> report(List<Report> reports) {
    if (reports.stream().anyMatch(bad)) {
      throw new FlowException(code, "refused by the test");
    }
    return super.report(reports);
  }

  @Override
  public HoldAnswer hold(HoldRequest request, List<Report> reports) {
    return hold(request);
  }
}
