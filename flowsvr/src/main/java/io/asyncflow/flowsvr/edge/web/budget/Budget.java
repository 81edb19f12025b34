package io.asyncflow.flowsvr.edge.web.budget;

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

  /** All callers without a key, which cannot be told apart. */
  static final String WITHOUT_KEY = "";

  private static final int PARTS = 2;
  private static final int PARTS_WITHOUT_KEY = 10;

  private final String name;
  private final long inSum;
  private final long byCaller;
  private final AtomicLong taken = new AtomicLong();
  private final ConcurrentMap<String, Long> takenBy = new ConcurrentHashMap<>();

  /**
   * A budget of which one caller gets half, and all callers without a key a tenth.
   *
   * @param name of what is limited, in the plural, for messages
   */
  public Budget(String name, long inSum) {
    this(name, inSum, Math.max(1, inSum / PARTS));
  }

  /**
   * @param byCaller the part of one access key, or of one subject of an issuer
   */
  public Budget(String name, long inSum, long byCaller) {
    this.name = name;
    this.inSum = inSum;
    this.byCaller = byCaller;
  }

  /**
   * @param caller {@code null} for a key that all callers may share: it has no limit of its own
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
    return caller.equals(WITHOUT_KEY) ? Math.max(1, inSum / PARTS_WITHOUT_KEY) : byCaller;
  }

  /** The answer to a request for which nothing is left. */
  FlowException spent() {
    return new FlowException(
        ErrorCode.LIMIT_EXCEEDED,
        "too many " + name + " at the moment, in all or of your key; nothing was done");
  }
}
