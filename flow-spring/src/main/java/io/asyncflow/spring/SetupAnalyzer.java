package io.asyncflow.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what is wrong and what to do, instead of a stack trace. */
class SetupAnalyzer extends AbstractFailureAnalyzer<SetupException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, SetupException cause) {
    return new FailureAnalysis(cause.problem(), cause.remedy(), cause);
  }
}
