package io.asyncflow.flowsvr;

import io.asyncflow.flowsvr.base.system.BadSettingException;
import io.asyncflow.flowsvr.base.system.Causes;
import io.asyncflow.flowsvr.base.system.db.ConnectionVerdict;
import io.asyncflow.flowsvr.base.system.db.DatabaseUrl;
import io.asyncflow.flowsvr.base.system.migration.SchemaMismatchException;
import java.net.BindException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.boot.web.server.WebServerException;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Explains in one sentence why the server does not start: a bad setting, tables of other
 * migrations, an address that it cannot listen on, or a database that does not answer or refuses
 * the login, a setting of the session, or writes.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class StartFailureAnalyzer implements FailureAnalyzer {

  /** Unknown, denied, of a wrong value, of a wrong type, read-only. */
  private static final Set<Integer> VARIABLE_REFUSED = Set.of(1193, 1227, 1231, 1232, 1238);

  private final Environment environment;

  StartFailureAnalyzer(Environment environment) {
    this.environment = environment;
  }

  @Override
  public FailureAnalysis analyze(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      String sentence = sentence(t);
      if (sentence != null) {
        return new FailureAnalysis(sentence, null, t);
      }
    }
    return null;
  }

  private String sentence(Throwable failure) {
    if (failure instanceof BadSettingException || failure instanceof SchemaMismatchException) {
      return failure.getMessage();
    }
    if (failure instanceof PortInUseException taken) {
      return "port " + taken.getPort() + " is taken; stop what listens there or set FLOW_PORT.";
    }
    if (failure instanceof WebServerException
        && NestedExceptionUtils.getMostSpecificCause(failure) instanceof BindException refused) {
      return "the server cannot listen on "
          + environment.getProperty("flow.access.address", "")
          + ":"
          + environment.getProperty("server.port")
          + " ("
          + refused.getMessage()
          + "); check FLOW_ADDRESS and FLOW_PORT.";
    }
    return failure instanceof SQLException outermost ? ofDatabase(outermost) : null;
  }

  private String ofDatabase(SQLException outermost) {
    SQLException cause = innermost(outermost);
    String state = cause.getSQLState() == null ? "" : cause.getSQLState();
    if (state.equals("08S01") || outermost instanceof SQLTransientConnectionException) {
      return ofDatabase("does not answer", NestedExceptionUtils.getMostSpecificCause(cause));
    }
    if (VARIABLE_REFUSED.contains(cause.getErrorCode())) {
      return ofDatabase("refuses what the server sets in its sessions", cause);
    }
    if (ConnectionVerdict.takesNoWrites(cause)) {
      return ofDatabase("takes no writes", cause);
    }
    if (state.startsWith("08") || state.startsWith("28") || state.startsWith("42")) {
      return ofDatabase("refuses the login", cause);
    }
    return null; // a statement of this server is wrong, not the connection
  }

  private String ofDatabase(String problem, Throwable cause) {
    String url = environment.getProperty("spring.datasource.url", "?");
    return "the database at "
        + DatabaseUrl.withoutSecrets(url)
        + " "
        + problem
        + " ("
        + String.valueOf(cause.getMessage()).lines().findFirst().orElse("")
        + "); check FLOW_MYSQL_URL, FLOW_MYSQL_USER and FLOW_MYSQL_PASSWORD.";
  }

  private static SQLException innermost(SQLException outermost) {
    return Causes.of(outermost)
        .filter(SQLException.class::isInstance)
        .map(SQLException.class::cast)
        .reduce(outermost, (outer, inner) -> inner);
  }
}
