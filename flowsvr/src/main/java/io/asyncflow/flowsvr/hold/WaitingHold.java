package io.asyncflow.flowsvr.hold;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.claim.Hold;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** One unanswered delivery of a hold. {@link UnansweredHolds} guards its mutable state. */
final class WaitingHold {

  final Hold hold;

  /** The {@link System#nanoTime()} of its arrival. */
  final long arrivedAt;

  final CompletableFuture<List<Task>> answer = new CompletableFuture<>();

  /**
   * Whether it waits for work, and its time-out runs: after a claim that had nothing for it, or at
   * once if its sources are known to be quiet.
   */
  boolean parked;

  /** Whether a claim has read {@code t_hold} for an earlier delivery of it; only used by rounds. */
  boolean checked;

  Future<?> timeout;

  /**
   * A later delivery of the same hold, which gets the tasks that are claimed for this one; {@code
   * null} if there is none.
   */
  volatile WaitingHold repeat;

  WaitingHold(Hold hold, long arrivedAt) {
    this.hold = hold;
    this.arrivedAt = arrivedAt;
  }

  boolean canWait() {
    return !hold.waitTime().isZero();
  }

  boolean isSameCall(Hold other) {
    return hold.isRepeatable() && hold.key().equals(other.key());
  }

  /**
   * Whether another claim has answered it with these tasks; the tasks of a hold share its trace id.
   */
  boolean wasDelivered(List<Task> tasks) {
    if (answer.isCompletedExceptionally()) {
      return false;
    }
    List<Task> delivered = answer.getNow(List.of());
    return !delivered.isEmpty() && delivered.get(0).traceId().equals(tasks.get(0).traceId());
  }
}
