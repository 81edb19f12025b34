package io.asyncflow.flowsvr.system;

import io.asyncflow.api.FlowException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.Optional;
import java.util.Set;
import org.redisson.client.RedisException;

/**
 * A database or a Redis that does not answer, or denies the server something, or a disk that
 * refuses: one line says all there is to say. Everything else that a loop may meet is a bug, and
 * wants a stack trace.
 *
 * @param kind the same for each round of one outage
 * @param line for the log
 */
public record Outage(String kind, String line) {

  /** MySQL's numbers for a grant that is missing. */
  private static final Set<Integer> DENIED = Set.of(1044, 1142, 1143, 1227);

  /** What {@code failure} says of an outage; empty if it is none. */
  public static Optional<Outage> of(Throwable failure) {
    Throwable found = null;
    for (Throwable t = failure; t != null; t = t.getCause()) {
      // The innermost one that says who does not answer; the socket's own words are for want of it.
      if (isOutage(t) && !(found != null && t instanceof IOException)) {
        found = t;
      }
    }
    return Optional.ofNullable(found).map(Outage::describe);
  }

  private static boolean isOutage(Throwable t) {
    if (t instanceof SQLException e) {
      String state = e.getSQLState();
      return t instanceof SQLTransientException
          || (state != null && state.startsWith("08"))
          || isDenied(e);
    }
    return t instanceof IOException
        || t instanceof UncheckedIOException // says what was to be done, not only what was refused
        || t instanceof RedisException
        || (t instanceof FlowException e && e.retryable());
  }

  /** Whether the server's user lacks a grant, which it can be given while the server runs. */
  public static boolean isDenied(Throwable failure) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (t instanceof SQLException e && DENIED.contains(e.getErrorCode())) {
        return true;
      }
    }
    return false;
  }

  private static Outage describe(Throwable t) {
    Throwable refused = t instanceof UncheckedIOException ? t.getCause() : t;
    String kind = refused.getClass().getSimpleName();
    String message = String.valueOf(t.getMessage()).lines().findFirst().orElse("");
    return new Outage(kind, kind + ": " + message);
  }
}
