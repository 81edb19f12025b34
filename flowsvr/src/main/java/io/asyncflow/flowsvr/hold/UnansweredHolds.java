package io.asyncflow.flowsvr.hold;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.claim.Hold;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The unanswered holds of one line, in the order of their arrival, and the time-outs of those that
 * are parked. A hold is not parked yet while it needs the result of the next claim.
 *
 * <p>Thread-safe; completes answers without holding its lock.
 */
final class UnansweredHolds {

  /** How long a hold without a wait time may stay unanswered if a claim was not complete. */
  private static final long INCOMPLETE_WAIT_MS = 250;

  private final Redelivery redelivery;
  private final HoldThreads threads;
  private final LongSupplier nanoTime;
  private final Runnable whenEmpty;
  private final Set<WaitingHold> line = new LinkedHashSet<>();

  /** The number of holds by the stages that they name. */
  private final Map<Set<String>, Integer> named = new HashMap<>();

  private boolean closed;

  /**
   * @param nanoTime a monotonic clock
   * @param whenEmpty called when the last hold is answered
   */
  UnansweredHolds(
      Redelivery redelivery, HoldThreads threads, LongSupplier nanoTime, Runnable whenEmpty) {
    this.redelivery = redelivery;
    this.threads = threads;
    this.nanoTime = nanoTime;
    this.whenEmpty = whenEmpty;
  }

  /** The number of unanswered holds. */
  synchronized int size() {
    return line.size();
  }

  /** The number of parked holds. */
  synchronized int parked() {
    return (int) line.stream().filter(waiting -> waiting.parked).count();
  }

  /** The stages that the holds name; empty if there is no hold, or none names stages. */
  synchronized Set<String> stages() {
    return named.keySet().stream().flatMap(Set::stream).collect(toSet());
  }

  /** The workers of the holds; those of old clients have none. */
  synchronized Set<String> workers() {
    return line.stream()
        .map(waiting -> waiting.hold.workerId())
        .filter(worker -> !worker.isEmpty())
        .collect(toSet());
  }

  /** The unanswered holds, in the order of their arrival. */
  synchronized List<WaitingHold> unanswered() {
    return line.stream().filter(waiting -> !waiting.answer.isDone()).toList();
  }

  /** The holds that need the result of the next claim, rather than wait for work. */
  synchronized List<WaitingHold> awaitingClaim() {
    return line.stream().filter(waiting -> !waiting.parked || !waiting.canWait()).toList();
  }

  /**
   * Adds a hold. It replaces a parked earlier delivery of the same hold, which is answered without
   * tasks.
   *
   * @return {@code null} if the line is closed
   */
  WaitingHold add(Hold hold) {
    WaitingHold newcomer = new WaitingHold(hold, nanoTime.getAsLong());
    WaitingHold earlier;
    synchronized (this) {
      if (closed) {
        return null;
      }
      // Under one lock, so that tasks just taken for the earlier delivery always find this one.
      earlier =
          line.stream()
              .filter(waiting -> waiting.parked && waiting.isSameCall(hold))
              .findFirst()
              .orElse(null);
      if (earlier != null) {
        earlier.repeat = newcomer;
      }
      line.add(newcomer);
      named.merge(hold.stages(), 1, Integer::sum);
    }
    newcomer.answer.whenComplete((tasks, error) -> forget(newcomer));
    if (earlier != null) {
      answer(List.of(earlier), List.of());
    }
    return newcomer;
  }

  /** Parks a hold until its wait time, counted from its arrival, is over. */
  synchronized void park(WaitingHold waiting) {
    if (waiting.parked || !line.contains(waiting)) {
      return;
    }
    waiting.parked = true;
    long waitMs =
        waiting.canWait()
            ? waiting.hold.waitTime().toMillis() - ageMs(waiting)
            : INCOMPLETE_WAIT_MS;
    waiting.timeout = threads.after(waitMs, () -> answer(List.of(waiting), List.of()));
  }

  private long ageMs(WaitingHold waiting) {
    return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - waiting.arrivedAt);
  }

  /**
   * Answers the deliveries of one hold. If all their callers are gone, the tasks go to a later
   * delivery.
   *
   * @return the tasks that no delivery received
   */
  List<Task> answer(List<WaitingHold> call, List<Task> tasks) {
    call.forEach(this::forget);
    if (!tasks.isEmpty()) {
      redelivery.remember(call.get(0));
    }
    boolean isReceived = false;
    for (WaitingHold waiting : call) {
      isReceived |= waiting.answer.complete(tasks);
    }
    if (isReceived
        || tasks.isEmpty()
        || call.stream().anyMatch(waiting -> waiting.wasDelivered(tasks))) {
      return List.of();
    }
    return call.stream()
        .map(waiting -> waiting.repeat)
        .filter(Objects::nonNull)
        .findFirst()
        .map(repeat -> answer(List.of(repeat), tasks))
        .orElse(tasks);
  }

  /** Answers all holds without tasks, now and from now on; for a server that stops. */
  void close() {
    List<WaitingHold> waitingHolds;
    synchronized (this) {
      closed = true;
      waitingHolds = new ArrayList<>(line);
    }
    waitingHolds.forEach(waiting -> answer(List.of(waiting), List.of()));
  }

  private void forget(WaitingHold waiting) {
    boolean isEmpty;
    synchronized (this) {
      if (line.remove(waiting)) {
        named.computeIfPresent(waiting.hold.stages(), (stages, n) -> n == 1 ? null : n - 1);
      }
      if (waiting.timeout != null) {
        waiting.timeout.cancel(false);
      }
      isEmpty = line.isEmpty();
    }
    if (isEmpty) {
      whenEmpty.run();
    }
  }
}
