package io.asyncflow.worker.internal;

import static java.util.stream.Collectors.toCollection;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** Reports that are not settled: those that wait, and those of the turn under way. Thread-safe. */
final class ReportQueue {

  private Deque<PendingReport> waiting = new ArrayDeque<>();
  private List<PendingReport> underWay = List.of();

  synchronized void add(PendingReport pending) {
    waiting.addLast(pending);
  }

  /** What is due at {@code now}, in order; it is under way until {@link #turnIsOver}. */
  synchronized List<PendingReport> takeDue(long now, int atMost) {
    List<PendingReport> due = new ArrayList<>();
    Iterator<PendingReport> all = waiting.iterator();
    while (all.hasNext() && due.size() < atMost) {
      PendingReport pending = all.next();
      if (pending.notBefore() <= now) {
        due.add(pending);
        all.remove();
      }
    }
    underWay = due;
    return due;
  }

  /** What was under way is settled, or was added again. */
  synchronized void turnIsOver() {
    underWay = List.of();
  }

  /** The link is back: who waits for it waits no longer. */
  synchronized void hurry() {
    waiting =
        waiting.stream()
            .map(pending -> pending.stranded() ? pending.now() : pending)
            .collect(toCollection(ArrayDeque::new));
  }

  /** When the next one is due; {@link Long#MAX_VALUE} if none waits. */
  synchronized long nextDue() {
    return waiting.stream().mapToLong(PendingReport::notBefore).min().orElse(Long.MAX_VALUE);
  }

  synchronized boolean anyStranded() {
    return all().anyMatch(PendingReport::stranded);
  }

  /** All that is not settled, as far as is known. */
  synchronized List<PendingReport> unsettled() {
    return all().toList();
  }

  private Stream<PendingReport> all() {
    return Stream.concat(waiting.stream(), underWay.stream());
  }
}
