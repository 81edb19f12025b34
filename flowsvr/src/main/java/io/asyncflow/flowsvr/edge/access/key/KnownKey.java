package io.asyncflow.flowsvr.edge.access.key;

import io.asyncflow.flowsvr.base.system.concurrent.RequestRate;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.rules.access.AccessKeyRow;
import java.util.Optional;

/**
 * A key of a row that counts, with the caller that it proves, made once.
 *
 * @param grantsAll whether it is an ADMIN key without a scope
 * @param use shared with the same key of later snapshots, as is the rate of the caller
 */
record KnownKey(AccessKeyRow row, Caller caller, boolean grantsAll, Use use) {

  /**
   * Empty if the columns of the row cannot be read.
   *
   * @param before the same key as it was known; {@code null} if it was not
   * @param nanos of the monotonic clock
   */
  static Optional<KnownKey> of(AccessKeyRow row, KnownKey before, long nanos) {
    return KeyGrant.read(row)
        .map(
            grant ->
                new KnownKey(
                    row,
                    grant.caller(row.id(), rate(row, before, nanos)),
                    grant.isAll(),
                    before == null ? new Use() : before.use));
  }

  /** {@code null} for no limit. */
  private static RequestRate rate(AccessKeyRow row, KnownKey before, long nanos) {
    if (before != null && before.row.limits().rate() == row.limits().rate()) {
      return before.caller.rate();
    }
    int rate = row.limits().rate();
    return rate > 0 ? new RequestRate(rate, nanos) : null;
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

    /** The last use, if it is not written yet; 0 otherwise. Called by one thread. */
    long unwritten() {
      long time = last;
      return time == written ? 0 : time;
    }

    /** Notes what was written; 0 for nothing. Called by the same thread. */
    void written(long time) {
      if (time != 0) {
        written = time;
      }
    }
  }
}
