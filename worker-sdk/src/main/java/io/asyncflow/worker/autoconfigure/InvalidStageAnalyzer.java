package io.asyncflow.worker.autoconfigure;

import io.asyncflow.worker.InvalidStageException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.util.StringUtils;

/** Explains which handler is invalid and what to do, instead of a stack trace. */
class InvalidStageAnalyzer extends AbstractFailureAnalyzer<InvalidStageException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, InvalidStageException cause) {
    return new FailureAnalysis(sentence(cause.problem()), sentence(cause.remedy()), cause);
  }

  private static String sentence(String words) {
    return StringUtils.capitalize(words) + ".";
  }
}
