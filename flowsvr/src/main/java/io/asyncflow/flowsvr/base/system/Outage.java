package io.asyncflow.flowsvr.base.system;

import io.asyncflow.api.FlowException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.Optional;
import java.util.Set;
import org.redisson.client.RedisException;

/**
 * An outage of the environment: the database or Redis does not answer or denies a permission, or
 * the disk fails. One log line describes it. Any other failure of a loop is a bug and is logged
 * with its stack trace.
 *
 * @param kind equal for all failures of one outage
 * @param line the line to log
 */
public record Outage(String kind, String line) {

  /** MySQL error numbers of a missing grant. */
  private static final Set<Integer> DENIED = Set.of(1044, 1142, 1143, 1227);

  /** The outage that {@code failure} reports; empty if it is not an outage. */
  public static Optional<Outage> of(Throwable failure) {
    // Prefer the innermost cause that names the service; use the socket's message only without one.
    return Causes.of(failure)
        .filter(Outage::isOutage)
        .reduce((outer, inner) -> inner instanceof IOException ? outer : inner)
        .map(Outage::describe);
  }

  private static boolean isOutage(Throwable t) {
    if (t instanceof SQLException e) {
      String state = e.getSQLState();
      return t instanceof SQLTransientException
          || (state != null && state.startsWith("08"))
          || isDenied(e);
    }
    return t instanceof IOException
        || t instanceof UncheckedIOException // names the attempted operation
        || t instanceof RedisException
        || (t instanceof FlowException e && e.retryable());
  }

  /** Whether the server's database user lacks a grant, which can be added while the server runs. */
  public static boolean isDenied(Throwable failure) {
    return Causes.of(failure)
        .anyMatch(t -> t instanceof SQLException e && DENIED.contains(e.getErrorCode()));
  }

  private static Outage describe(Throwable t) {
    Throwable refused = t instanceof UncheckedIOException ? t.getCause() : t;
    String kind = refused.getClass().getSimpleName();
    String message = String.valueOf(t.getMessage()).lines().findFirst().orElse("");
    return new Outage(kind, kind + ": " + message);
  }
}
