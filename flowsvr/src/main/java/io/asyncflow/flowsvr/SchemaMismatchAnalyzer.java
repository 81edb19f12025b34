package io.asyncflow.flowsvr;

import io.asyncflow.flowsvr.system.migration.SchemaMismatchException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Explains that the tables were made by migrations that are unknown to this server or differ from
 * its own.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class SchemaMismatchAnalyzer extends AbstractFailureAnalyzer<SchemaMismatchException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, SchemaMismatchException cause) {
    return new FailureAnalysis(cause.getMessage(), null, cause);
  }
}
