package io.asyncflow.flowsvr;

import io.asyncflow.flowsvr.web.UnsafeAddressException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

@Order(Ordered.HIGHEST_PRECEDENCE)
class UnsafeAddressAnalyzer extends AbstractFailureAnalyzer<UnsafeAddressException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, UnsafeAddressException cause) {
    return new FailureAnalysis(cause.getMessage(), null, cause);
  }
}
