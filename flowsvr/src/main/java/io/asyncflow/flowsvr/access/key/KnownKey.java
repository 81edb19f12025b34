package io.asyncflow.flowsvr.access.key;

import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.rules.access.AccessKeyRow;
import java.util.Optional;
import tools.jackson.core.JacksonException;

/**
 * A key of a row that counts, with the caller that it proves, made once.
 *
 * @param grantsAll whether it is an ADMIN key without a scope
 * @param use shared with the same key of later snapshots
 */
record KnownKey(AccessKeyRow row, Caller caller, boolean grantsAll, Use use) {

  /** Empty if the columns of the row cannot be read. */
  static Optional<KnownKey> of(AccessKeyRow row, Use use) {
    try {
      KeyGrant grant = KeyGrant.of(row);
      return Optional.of(new KnownKey(row, grant.caller(row.id()), grant.isAll(), use));
    } catch (JacksonException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** The last use of a key. Thread-safe. */
  static final class Use {

    private static final long ONE_SECOND = 1_000;

    private volatile long last;
    private long written;

    /** Notes a use at this time; uses within a second count as one, so this seldom writes. */
    void note(long now) {
      if (now - last >= ONE_SECOND) {
        last = now;
      }
    }

    /** The last use, if it was not returned before; 0 otherwise. Called by one thread. */
    long takeUnwritten() {
      long time = last;
      if (time == written) {
        return 0;
      }
      written = time;
      return time;
    }
  }
}
