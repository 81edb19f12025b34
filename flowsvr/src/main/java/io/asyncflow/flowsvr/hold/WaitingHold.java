package io.asyncflow.flowsvr.hold;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.claim.Hold;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/**
 * One delivery of a hold that has no answer yet. Its mutable state belongs to {@link ParkedHolds}.
 */
final class WaitingHold {

  final Hold hold;

  /** {@link System#nanoTime()}. */
  final long arrivedAt;

  final CompletableFuture<List<Task>> answer = new CompletableFuture<>();

  /** Whether a claim has been made for it, so that it only waits now. */
  boolean parked;

  /** Whether a claim has looked what an earlier delivery of it was given; only for claims. */
  boolean checked;

  Future<?> timeout;

  /** A later delivery of the same hold; what is taken for this one belongs to that. */
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

  /** Whether it was answered with these tasks by another claim; one trace a hold. */
  boolean wasDelivered(List<Task> tasks) {
    if (answer.isCompletedExceptionally()) {
      return false;
    }
    List<Task> delivered = answer.getNow(List.of());
    return !delivered.isEmpty() && delivered.get(0).traceId().equals(tasks.get(0).traceId());
  }
}
