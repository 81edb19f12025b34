package io.asyncflow.flowsvr.system.db;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;
import java.util.Set;

/**
 * Tells the pool which failures end a connection and which do not, where the error's class alone
 * would mislead it. Public with a public constructor, since the pool makes it by its name.
 */
public final class ConnectionVerdict implements SQLExceptionOverride {

  /** The server that we are connected to does not take writes: the primary is elsewhere now. */
  private static final Set<Integer> READ_ONLY =
      Set.of(
          1290, // started read-only
          1792, // the transaction is read-only
          1836 // running in read-only mode
          );

  /** As "ALGORITHM=INSTANT cannot be used here", after which the session is as good as before. */
  private static final String FEATURE_NOT_SUPPORTED = "0A000";

  @java.lang.Override // the interface has an Override of its own
  public Override adjudicate(SQLException failure) {
    if (READ_ONLY.contains(failure.getErrorCode())) {
      return Override.MUST_EVICT;
    }
    return FEATURE_NOT_SUPPORTED.equals(failure.getSQLState())
        ? Override.DO_NOT_EVICT
        : Override.CONTINUE_EVICT;
  }
}
