package io.asyncflow.flowsvr.base.system.db;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;
import java.util.Set;

/**
 * Tells the pool whether an error ends the connection, for errors whose SQL state misleads it.
 * Public with a public constructor, because the pool instantiates it by class name.
 */
public final class ConnectionVerdict implements SQLExceptionOverride {

  /** The connected database takes no writes: another one does now. */
  private static final Set<Integer> NOT_HERE =
      Set.of(
          1047, // a node of Galera that is cut off from the others
          1290, // started read-only
          1792, // the transaction is read-only
          1836, // running in read-only mode
          3100 // the member cannot commit in its group
          );

  /** Such as "ALGORITHM=INSTANT is not supported", after which the session is still usable. */
  private static final String FEATURE_NOT_SUPPORTED = "0A000";

  /** Whether a statement failed because the connected database takes no writes. */
  public static boolean takesNoWrites(SQLException failure) {
    return NOT_HERE.contains(failure.getErrorCode());
  }

  @java.lang.Override // the interface declares its own Override
  public Override adjudicate(SQLException failure) {
    if (takesNoWrites(failure)) {
      return Override.MUST_EVICT;
    }
    return FEATURE_NOT_SUPPORTED.equals(failure.getSQLState())
        ? Override.DO_NOT_EVICT
        : Override.CONTINUE_EVICT;
  }
}
