package io.asyncflow.worker.internal.loop;

import java.util.function.LongSupplier;

/** The next turn of a loop, so that only earlier work wakes it. Thread-safe; one thread plans. */
public final class NextTurn {

  private final WakeUp wakeUp;
  private volatile long moment = Long.MAX_VALUE;

  public NextTurn(WakeUp wakeUp) {
    this.wakeUp = wakeUp;
  }

  /**
   * Plans the next turn and returns its moment; the loop must wait no longer than that.
   *
   * @param earliest returns the earliest moment of all work; called once, because work that ends
   *     between two calls would leave a planned moment without a wake-up
   */
  public long plan(LongSupplier earliest) {
    // The read may miss work that is added meanwhile, so such work signals.
    moment = Long.MAX_VALUE;
    long next = earliest.getAsLong();
    moment = next;
    return next;
  }

  /** Announces new work, due at {@code due}, which {@code earliest} can already see. */
  public void add(long due) {
    if (due < moment) {
      wakeUp.signal();
    }
  }
}
