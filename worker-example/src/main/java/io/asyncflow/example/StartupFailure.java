package io.asyncflow.example;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;

/** Logs in one line why the worker does not start. */
class StartupFailure implements FailureAnalysisReporter {

  private static final Logger log = LoggerFactory.getLogger(StartupFailure.class);

  @Override
  public void report(FailureAnalysis analysis) {
    String action = analysis.getAction() == null ? "" : " " + analysis.getAction();
    log.error("the worker does not start: {}{}", analysis.getDescription(), action);
  }
}
