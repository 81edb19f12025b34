package io.asyncflow.worker.internal.loop;

import java.util.function.LongSupplier;

/**
 * When a loop comes back by itself, so that only what is due earlier wakes it. Thread-safe; one
 * thread plans.
 */
public final class NextTurn {

  private final WakeUp wakeUp;
  private volatile long moment = Long.MAX_VALUE;

  public NextTurn(WakeUp wakeUp) {
    this.wakeUp = wakeUp;
  }

  /**
   * Looks up when the loop comes back; it must wait no longer than that.
   *
   * @param earliest looks at all there is; called once, or what ended between two looks would leave
   *     a moment announced at which nobody wakes
   */
  public long plan(LongSupplier earliest) {
    // The look may miss what comes during it, which signals therefore.
    moment = Long.MAX_VALUE;
    long next = earliest.getAsLong();
    moment = next;
    return next;
  }

  /** Something new is due at {@code due}, and can be looked up already. */
  public void add(long due) {
    if (due < moment) {
      wakeUp.signal();
    }
  }
}
