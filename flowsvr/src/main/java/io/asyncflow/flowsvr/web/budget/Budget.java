package io.asyncflow.flowsvr.web.budget;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An amount that this server has for all requests, of which one caller gets a part at most. Taken
 * by an {@link Exchange}, which gives it back. Thread-safe.
 */
public final class Budget {

  /** A caller without a key: who that is, and how many there are, is not known. */
  static final String NOBODY = "";

  private static final int PARTS = 2;
  private static final int PARTS_FOR_NOBODY = 10;

  private final String what;
  private final long inSum;
  private final long byCaller;
  private final AtomicLong taken = new AtomicLong();
  private final ConcurrentMap<String, Long> takenBy = new ConcurrentHashMap<>();

  /**
   * A budget of which one caller gets half, and all callers without a key a tenth.
   *
   * @param what what there is an amount of, in the plural
   */
  public Budget(String what, long inSum) {
    this(what, inSum, Math.max(1, inSum / PARTS));
  }

  /**
   * @param byCaller the part of one access key, or of one subject of an issuer
   */
  public Budget(String what, long inSum, long byCaller) {
    this.what = what;
    this.inSum = inSum;
    this.byCaller = byCaller;
  }

  /**
   * @param caller {@code null} where all callers may be the same, which get all
   * @return whether there was as much; then {@link #giveBack} must follow
   */
  boolean take(String caller, long amount) {
    boolean isWithinPart =
        caller == null || takenBy.merge(caller, amount, Long::sum) <= partOf(caller);
    if (taken.addAndGet(amount) <= inSum && isWithinPart) {
      return true;
    }
    giveBack(caller, amount);
    return false;
  }

  void giveBack(String caller, long amount) {
    taken.addAndGet(-amount);
    if (caller != null) {
      takenBy.computeIfPresent(caller, (same, sum) -> sum > amount ? sum - amount : null);
    }
  }

  private long partOf(String caller) {
    return caller.equals(NOBODY) ? Math.max(1, inSum / PARTS_FOR_NOBODY) : byCaller;
  }

  /** The answer to a request for which nothing is left. */
  FlowException spent() {
    return new FlowException(
        ErrorCode.LIMIT_EXCEEDED,
        "too many " + what + " at the moment, in all or of your key; nothing was done");
  }
}
