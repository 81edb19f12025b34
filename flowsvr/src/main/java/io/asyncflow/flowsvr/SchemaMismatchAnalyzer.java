package io.asyncflow.flowsvr;

import org.flywaydb.core.api.exception.FlywayValidateException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** The tables were made by migrations that this server does not have, or has otherwise. */
@Order(Ordered.HIGHEST_PRECEDENCE)
class SchemaMismatchAnalyzer extends AbstractFailureAnalyzer<FlywayValidateException> {

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, FlywayValidateException cause) {
    return new FailureAnalysis(
        "the tables that FLOW_MYSQL_URL leads to were made by another state of the code, from which"
            + " there is no way to this one; start the server that made them, or give an empty"
            + " schema (./asyncflow dev: another --data-dir, or an empty one).",
        null,
        cause);
  }
}
