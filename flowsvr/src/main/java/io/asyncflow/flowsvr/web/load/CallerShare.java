package io.asyncflow.flowsvr.web.load;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Limits how many requests of a kind one caller may have open. A waiting request costs memory and a
 * connection, so one caller could exhaust them for all others. Thread-safe.
 */
public final class CallerShare {

  private final WaitingRequests waiting;
  private final int limit;
  private final String description;
  private final ConcurrentMap<String, Integer> open = new ConcurrentHashMap<>();

  /**
   * @param waiting the limit over all callers
   * @param limit the limit of one caller
   * @param the counted requests in the plural, with their caller, such as {@code holds of one
   *     worker}
   */
  public CallerShare(WaitingRequests waiting, int limit, String description) {
    this.waiting = waiting;
    this.limit = limit;
    this.description = description;
  }

  /**
   * Counts a request; unless this throws, {@link #leave} must follow.
   *
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if the limit of the caller or of
   *     all callers is reached
   */
  public void enter(String caller) {
    if (open.merge(caller, 1, Integer::sum) > limit) {
      forget(caller);
      throw new FlowException(
          ErrorCode.LIMIT_EXCEEDED,
          "more than " + limit + " " + description + " wait already; end one, or ask later");
    }
    try {
      waiting.enter();
    } catch (FlowException full) {
      forget(caller);
      throw full;
    }
  }

  public void leave(String caller) {
    waiting.leave();
    forget(caller);
  }

  private void forget(String caller) {
    open.computeIfPresent(caller, (same, count) -> count > 1 ? count - 1 : null);
  }
}
