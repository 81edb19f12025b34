package io.asyncflow.flowsvr.web.load;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Limits how many requests of a kind one caller may have waiting: by the name under which it calls,
 * which it chooses, and by its access key. A waiting request costs memory and a connection, so one
 * caller could exhaust them for all others. Thread-safe.
 */
public final class CallerShare {

  private final WaitingRequests waiting;
  private final OpenLimit byKey;
  private final OpenLimit byName;

  /**
   * @param waiting the limit over all callers
   * @param byKey the limit of one access key; it may be that of other shares, too
   * @param byName the limit of one name
   */
  public CallerShare(WaitingRequests waiting, OpenLimit byKey, OpenLimit byName) {
    this.waiting = waiting;
    this.byKey = byKey;
    this.byName = byName;
  }

  /**
   * Counts a request of the caller for whom this thread works.
   *
   * @param name a worker id, or an address
   * @return to be run once, when the request is over
   * @throws FlowException with {@link ErrorCode#LIMIT_EXCEEDED} if the limit of the name, of the
   *     key or of all callers is reached
   */
  public Runnable enter(String name) {
    Deque<Runnable> entered = new ArrayDeque<>();
    Runnable leave = () -> entered.forEach(Runnable::run);
    try {
      entered.push(byName.enterByKeyAnd(name));
      entered.push(byKey.enterByKey());
      waiting.enter();
      entered.push(waiting::leave);
      return leave;
    } catch (FlowException full) {
      leave.run();
      throw full;
    }
  }
}
