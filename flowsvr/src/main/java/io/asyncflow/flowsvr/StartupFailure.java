package io.asyncflow.flowsvr;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;

/** Says in one sentence why the server does not start, and what to do about it. */
class StartupFailure implements FailureAnalysisReporter {

  private static final Logger log = LoggerFactory.getLogger(StartupFailure.class);

  @Override
  public void report(FailureAnalysis analysis) {
    String action = analysis.getAction() == null ? "" : " " + analysis.getAction();
    log.error("flowsvr does not start: {}{}", analysis.getDescription(), action);
  }
}
