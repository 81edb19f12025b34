package io.asyncflow.flowsvr;

import java.sql.SQLException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** No connection to the database: nobody listens, or nobody lets us in. */
@Order(Ordered.HIGHEST_PRECEDENCE)
class DatabaseFailureAnalyzer extends AbstractFailureAnalyzer<SQLException> {

  private final Environment environment;

  DatabaseFailureAnalyzer(Environment environment) {
    this.environment = environment;
  }

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, SQLException outermost) {
    SQLException cause = innermost(outermost);
    String state = cause.getSQLState() == null ? "" : cause.getSQLState();
    if (state.startsWith("08")) {
      return failure("does not answer", cause);
    }
    if (state.startsWith("28") || state.startsWith("42")) {
      return failure("lets us not in (" + cause.getMessage() + ")", cause);
    }
    return null; // something is wrong with a statement of ours, not with the connection
  }

  private FailureAnalysis failure(String what, SQLException cause) {
    return new FailureAnalysis(
        "the database at "
            + url()
            + " "
            + what
            + "; check FLOW_MYSQL_URL, FLOW_MYSQL_USER and FLOW_MYSQL_PASSWORD.",
        null,
        cause);
  }

  /** Without its parameters, one of which may be a password. */
  private String url() {
    String url = environment.getProperty("spring.datasource.url", "?");
    int parameters = url.indexOf('?', 1);
    return parameters < 0 ? url : url.substring(0, parameters);
  }

  private static SQLException innermost(SQLException outermost) {
    SQLException found = outermost;
    for (Throwable t = outermost; t != null; t = t.getCause()) {
      if (t instanceof SQLException sql) {
        found = sql;
      }
    }
    return found;
  }
}
