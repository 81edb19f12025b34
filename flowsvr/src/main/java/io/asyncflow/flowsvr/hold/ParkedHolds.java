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
 * The holds of one line that have no answer yet, in the order in which they came, and their
 * time-outs.
 *
 * <p>Thread-safe; completes answers without its lock.
 */
final class ParkedHolds {

  /** A hold that does not wait is not sent away so long, where a claim was not complete. */
  private static final long PATIENCE_MS = 250;

  private final Redelivery redelivery;
  private final HoldThreads threads;
  private final LongSupplier nanoTime;
  private final Runnable whenEmpty;
  private final Set<WaitingHold> line = new LinkedHashSet<>();

  /** How many of them name the same stages. */
  private final Map<Set<String>, Integer> named = new HashMap<>();

  private boolean closed;

  /**
   * @param nanoTime a monotonic clock
   * @param whenEmpty is called when the last one has left
   */
  ParkedHolds(
      Redelivery redelivery, HoldThreads threads, LongSupplier nanoTime, Runnable whenEmpty) {
    this.redelivery = redelivery;
    this.threads = threads;
    this.nanoTime = nanoTime;
    this.whenEmpty = whenEmpty;
  }

  /** How many holds wait for work, or for their claim. */
  synchronized int size() {
    return line.size();
  }

  /** The stages that they name; empty where none is here, or none names any. */
  synchronized Set<String> stages() {
    return named.keySet().stream().flatMap(Set::stream).collect(toSet());
  }

  /** Those that have no answer, in the order in which they came. */
  synchronized List<WaitingHold> unanswered() {
    return line.stream().filter(one -> !one.answer.isDone()).toList();
  }

  /** Those that came for the next claim, and do not only wait. */
  synchronized List<WaitingHold> unasked() {
    return line.stream().filter(one -> !one.parked || !one.canWait()).toList();
  }

  /**
   * Takes a hold in. It takes the place of an earlier delivery of the same hold that is parked,
   * which is answered with nothing.
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
      // At one stroke, so that tasks just taken for the earlier one always find this one.
      earlier =
          line.stream().filter(one -> one.parked && one.isSameCall(hold)).findFirst().orElse(null);
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

  /** From now on it waits, until the time that its caller gave it when it came is over. */
  synchronized void park(WaitingHold one) {
    if (one.parked || !line.contains(one)) {
      return;
    }
    one.parked = true;
    long patience = one.canWait() ? one.hold.waitTime().toMillis() - ageMs(one) : PATIENCE_MS;
    one.timeout = threads.after(patience, () -> answer(List.of(one), List.of()));
  }

  private long ageMs(WaitingHold one) {
    return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - one.arrivedAt);
  }

  /**
   * Answers the deliveries of one hold. If none of them is there any more, the tasks belong to a
   * later one.
   *
   * @return the tasks that are nobody's, because that one is gone too, or there is none
   */
  List<Task> answer(List<WaitingHold> call, List<Task> tasks) {
    call.forEach(this::forget);
    if (!tasks.isEmpty()) {
      redelivery.remember(call.get(0));
    }
    boolean isHeard = false;
    for (WaitingHold one : call) {
      isHeard |= one.answer.complete(tasks);
    }
    if (isHeard || tasks.isEmpty() || call.stream().anyMatch(one -> one.wasDelivered(tasks))) {
      return List.of();
    }
    return call.stream()
        .map(one -> one.repeat)
        .filter(Objects::nonNull)
        .findFirst()
        .map(repeat -> answer(List.of(repeat), tasks))
        .orElse(tasks);
  }

  /** Answers all of them with nothing from now on; for a server that stops. */
  void close() {
    List<WaitingHold> all;
    synchronized (this) {
      closed = true;
      all = new ArrayList<>(line);
    }
    all.forEach(one -> answer(List.of(one), List.of()));
  }

  private void forget(WaitingHold one) {
    boolean isEmpty;
    synchronized (this) {
      if (line.remove(one)) {
        named.computeIfPresent(one.hold.stages(), (stages, n) -> n == 1 ? null : n - 1);
      }
      if (one.timeout != null) {
        one.timeout.cancel(false);
      }
      isEmpty = line.isEmpty();
    }
    if (isEmpty) {
      whenEmpty.run();
    }
  }
}
