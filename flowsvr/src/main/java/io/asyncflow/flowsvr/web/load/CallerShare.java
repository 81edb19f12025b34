package io.asyncflow.flowsvr.web.load;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How many requests of a kind one caller may have open at once: what waits for long costs memory
 * and a connection, and one caller could take those of all others. Thread-safe.
 */
public final class CallerShare {

  private final WaitingRequests all;
  private final int most;
  private final String what;
  private final ConcurrentMap<String, Integer> open = new ConcurrentHashMap<>();

  /**
   * @param all of which these are some
   * @param most of one caller
   * @param what is counted, in the plural and with its caller, as {@code holds of one worker}
   */
  public CallerShare(WaitingRequests all, int most, String what) {
    this.all = all;
    this.most = most;
    this.what = what;
  }

  /**
   * One more; {@link #leave} must follow, unless this throws.
   *
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if the caller, or all callers
   *     together, have enough of them
   */
  public void enter(String caller) {
    if (open.merge(caller, 1, Integer::sum) > most) {
      forget(caller);
      throw new FlowException(
          ErrorCode.LIMIT_EXCEEDED,
          "more than " + most + " " + what + " wait already; end one, or ask later");
    }
    try {
      all.enter();
    } catch (FlowException full) {
      forget(caller);
      throw full;
    }
  }

  public void leave(String caller) {
    all.leave();
    forget(caller);
  }

  private void forget(String caller) {
    open.computeIfPresent(caller, (same, count) -> count > 1 ? count - 1 : null);
  }
}
