package io.asyncflow.worker.internal.report;

import static java.util.stream.Collectors.toCollection;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Reports that are not settled: those that wait, and those that are under way. Thread-safe. */
final class ReportQueue {

  private Deque<PendingReport> waiting = new ArrayDeque<>();
  private final List<List<PendingReport>> underWay = new ArrayList<>();

  synchronized void add(PendingReport pending) {
    waiting.addLast(pending);
  }

  /** What is due at {@code now}, in order; it is under way until {@link #isOver}. */
  List<PendingReport> takeDue(long now, int atMost) {
    return take(atMost, pending -> pending.notBefore() <= now);
  }

  /** What may go with a hold, in order; it is under way until {@link #isOver}. */
  List<PendingReport> takePiggybackable(int atMost) {
    return take(atMost, PendingReport::piggybackable);
  }

  private synchronized List<PendingReport> take(int atMost, Predicate<PendingReport> wanted) {
    List<PendingReport> taken = new ArrayList<>();
    Iterator<PendingReport> all = waiting.iterator();
    while (all.hasNext() && taken.size() < atMost) {
      PendingReport pending = all.next();
      if (wanted.test(pending)) {
        taken.add(pending);
        all.remove();
      }
    }
    if (!taken.isEmpty()) {
      underWay.add(taken);
    }
    return taken;
  }

  synchronized boolean anyPiggybackable() {
    return waiting.stream().anyMatch(PendingReport::piggybackable);
  }

  /**
   * What was taken is settled, or was added again.
   *
   * @param left what is neither, because something went wrong; it waits again
   */
  synchronized void isOver(List<PendingReport> taken, Collection<PendingReport> left) {
    waiting.addAll(left);
    underWay.removeIf(turn -> turn == taken);
  }

  /** The link is back: who waits for it waits no longer. */
  synchronized void hurry() {
    waiting =
        waiting.stream()
            .map(pending -> pending.stranded() ? pending.hurried() : pending)
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
    return Stream.concat(waiting.stream(), underWay.stream().flatMap(List::stream));
  }
}
