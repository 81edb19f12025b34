package io.asyncflow.flowsvr.system.db;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;
import java.util.Set;

/**
 * Tells the pool whether an error ends the connection, for errors whose SQL state misleads it.
 * Public with a public constructor, because the pool instantiates it by class name.
 */
public final class ConnectionVerdict implements SQLExceptionOverride {

  /** The connected database is read-only: another one is the primary now. */
  private static final Set<Integer> READ_ONLY =
      Set.of(
          1290, // started read-only
          1792, // the transaction is read-only
          1836 // running in read-only mode
          );

  /** Such as "ALGORITHM=INSTANT is not supported", after which the session is still usable. */
  private static final String FEATURE_NOT_SUPPORTED = "0A000";

  @java.lang.Override // the interface declares its own Override
  public Override adjudicate(SQLException failure) {
    if (READ_ONLY.contains(failure.getErrorCode())) {
      return Override.MUST_EVICT;
    }
    return FEATURE_NOT_SUPPORTED.equals(failure.getSQLState())
        ? Override.DO_NOT_EVICT
        : Override.CONTINUE_EVICT;
  }
}
