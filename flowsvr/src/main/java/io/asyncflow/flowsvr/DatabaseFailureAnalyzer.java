package io.asyncflow.flowsvr;

import io.asyncflow.flowsvr.system.db.DatabaseUrl;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Explains a start without a database connection: the database does not answer, or refuses the
 * login or a setting of the session.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class DatabaseFailureAnalyzer extends AbstractFailureAnalyzer<SQLException> {

  /** Unknown, denied, of a wrong value, of a wrong type, read-only. */
  private static final Set<Integer> VARIABLE_REFUSED = Set.of(1193, 1227, 1231, 1232, 1238);

  private final Environment environment;

  DatabaseFailureAnalyzer(Environment environment) {
    this.environment = environment;
  }

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, SQLException outermost) {
    SQLException cause = innermost(outermost);
    String state = cause.getSQLState() == null ? "" : cause.getSQLState();
    if (state.equals("08S01") || outermost instanceof SQLTransientConnectionException) {
      return failure("does not answer", NestedExceptionUtils.getMostSpecificCause(cause));
    }
    if (VARIABLE_REFUSED.contains(cause.getErrorCode())) {
      return failure("refuses what the server sets in its sessions", cause);
    }
    if (state.startsWith("08") || state.startsWith("28") || state.startsWith("42")) {
      return failure("refuses the login", cause);
    }
    return null; // a statement of this server is wrong, not the connection
  }

  private FailureAnalysis failure(String problem, Throwable cause) {
    String url = environment.getProperty("spring.datasource.url", "?");
    return new FailureAnalysis(
        "the database at "
            + DatabaseUrl.withoutSecrets(url)
            + " "
            + problem
            + " ("
            + String.valueOf(cause.getMessage()).lines().findFirst().orElse("")
            + "); check FLOW_MYSQL_URL, FLOW_MYSQL_USER and FLOW_MYSQL_PASSWORD.",
        null,
        cause);
  }

  private static SQLException innermost(SQLException outermost) {
    SQLException relevant = outermost;
    for (Throwable t = outermost; t != null; t = t.getCause()) {
      if (t instanceof SQLException sql) {
        relevant = sql;
      }
    }
    return relevant;
  }
}
