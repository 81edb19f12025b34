package io.asyncflow.flowsvr.edge.web.error;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.flowsvr.base.system.Outage;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionTimedOutException;

/**
 * Maps failures of the database to errors for clients.
 *
 * <p>A statement that was rolled back or never sent has changed nothing. If the connection broke
 * while a statement ran, its outcome is unknown.
 */
public final class DatabaseTrouble {

  /**
   * MySQL error numbers of statements that were rolled back or not started, and may succeed later.
   */
  private static final Set<Integer> LATER =
      Set.of(
          1021, // disk full
          1030, // the storage engine gave an error
          1037, // out of memory
          1040, // too many connections
          1041, // out of memory
          1047, // a node of Galera that is cut off
          1053, // shutting down
          1114, // table is full
          1203, // the user has too many connections
          1205, // waited too long for a lock
          1206, // out of lock memory
          1213, // deadlock
          1290, // started read-only
          1317, // interrupted
          1792, // transaction is read-only
          1836, // read-only mode
          1927, // the connection was ended
          2003, // MySQL Router reaches no server
          3024, // ran too long
          3100, // group replication refused to commit
          3101, // group replication rolled back at the commit
          3572, // did not wait for a lock
          3796, // the member of the group is in no state for it
          3797, // the group waits for its new primary
          // TiDB, and of these numbers ProxySQL: no server of the database is reached in time
          9001,
          9002,
          9003,
          9004,
          9005,
          9006);

  /** A node of Galera left while it committed: the others may have the commit. */
  private static final int COMMIT_FAILED = 1180;

  /** A value does not fit its column. A check in this server is missing, but no data is harmed. */
  private static final Set<Integer> BAD_VALUE = Set.of(1264, 1292, 1300, 1366, 1406, 3988);

  private DatabaseTrouble() {}

  /** Whether the failure leaves open if the statement took effect. */
  public static boolean leavesUnknown(Throwable failure) {
    return explain(failure).filter(ApiError::outcomeUnknown).isPresent();
  }

  /**
   * The error; empty if the failure is not the database's, or if this server's statement is wrong.
   */
  static Optional<ApiError> explain(Throwable failure) {
    boolean touched = false;
    for (Throwable t = failure; t != null; t = t.getCause() == t ? null : t.getCause()) {
      if (neverReachedIt(t)) {
        return Optional.of(later("no connection to the database was to be had", false));
      }
      if (t instanceof SQLException e) {
        if (LATER.contains(e.getErrorCode())) {
          return Optional.of(later("the database could not do it now", false));
        }
        if (e.getErrorCode() == COMMIT_FAILED) {
          return Optional.of(later("the database failed in the commit", true));
        }
        if (Outage.isDenied(e)) {
          return Optional.of(
              later("the database does not let the server do it; its log names the grant", false));
        }
        if (BAD_VALUE.contains(e.getErrorCode())) {
          return Optional.of(
              ApiError.of(ErrorCode.INVALID_INPUT, "a value does not fit: " + e.getMessage()));
        }
        touched |=
            e.getSQLState() == null // thrown by the pool, which has closed the connection
                || e.getSQLState().startsWith("08");
      }
      touched |= isBrokenMidway(t);
    }
    if (touched) {
      return Optional.of(later("the connection to the database broke", true));
    }
    return isTransient(failure)
        ? Optional.of(later("the database could not do it now", !isRolledBack(failure)))
        : Optional.empty();
  }

  private static boolean neverReachedIt(Throwable t) {
    return t instanceof CannotGetJdbcConnectionException
        || t instanceof CannotCreateTransactionException
        || t instanceof SQLTransientConnectionException;
  }

  private static boolean isBrokenMidway(Throwable t) {
    return t instanceof DataAccessResourceFailureException
        || t instanceof RecoverableDataAccessException;
  }

  private static boolean isTransient(Throwable t) {
    return t instanceof TransientDataAccessException
        || t instanceof QueryTimeoutException
        || t instanceof TransactionTimedOutException;
  }

  private static boolean isRolledBack(Throwable t) {
    return t instanceof PessimisticLockingFailureException;
  }

  private static ApiError later(String message, boolean outcomeUnknown) {
    return new ApiError(
        ErrorCode.UNAVAILABLE,
        ErrorCode.UNAVAILABLE.httpStatus(),
        message,
        List.of(),
        outcomeUnknown,
        null);
  }
}
