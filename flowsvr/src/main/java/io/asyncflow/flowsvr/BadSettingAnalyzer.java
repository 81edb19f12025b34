package io.asyncflow.flowsvr;

import io.asyncflow.flowsvr.system.BadSettingException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

@Order(Ordered.HIGHEST_PRECEDENCE)
class BadSettingAnalyzer extends AbstractFailureAnalyzer<BadSettingException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, BadSettingException cause) {
    return new FailureAnalysis(cause.getMessage(), null, cause);
  }
}
