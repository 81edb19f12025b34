package io.asyncflow.worker.internal.report;

import static java.util.stream.Collectors.toCollection;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The unsettled reports: waiting ones and those being sent. Thread-safe. */
final class ReportQueue {

  private Deque<PendingReport> waiting = new ArrayDeque<>();

  /** By the list that was taken: those of its reports that are not known to be settled. */
  private final Map<List<PendingReport>, Deque<PendingReport>> inProgress = new IdentityHashMap<>();

  synchronized void add(PendingReport pending) {
    waiting.addLast(pending);
  }

  /** Takes the reports due at {@code now}, in order; they are in progress until {@link #isOver}. */
  List<PendingReport> takeDue(long now, int atMost) {
    return take(atMost, pending -> pending.notBefore() <= now);
  }

  /**
   * Takes the reports that may be piggybacked, in order; they are in progress until {@link
   * #isOver}.
   */
  List<PendingReport> takePiggybackable(int atMost) {
    return take(atMost, PendingReport::piggybackable);
  }

  private synchronized List<PendingReport> take(int atMost, Predicate<PendingReport> filter) {
    List<PendingReport> taken = new ArrayList<>();
    Iterator<PendingReport> iterator = waiting.iterator();
    while (iterator.hasNext() && taken.size() < atMost) {
      PendingReport pending = iterator.next();
      if (filter.test(pending)) {
        taken.add(pending);
        iterator.remove();
      }
    }
    if (!taken.isEmpty()) {
      inProgress.put(taken, new ArrayDeque<>(taken));
    }
    return taken;
  }

  synchronized boolean anyPiggybackable() {
    return waiting.stream().anyMatch(PendingReport::piggybackable);
  }

  /**
   * Ends the progress of taken reports, which are settled or were added again.
   *
   * @param unprocessed those that are neither, because of an unexpected failure; they wait again
   */
  synchronized void isOver(List<PendingReport> taken, Collection<PendingReport> unprocessed) {
    waiting.addAll(unprocessed);
    inProgress.remove(taken);
  }

  /**
   * Takes out what is in progress of this origin, whose report is settled before the others that
   * were taken with it.
   */
  synchronized void settled(ReportOrigin origin) {
    for (Deque<PendingReport> turn : inProgress.values()) {
      // Reports are settled in their order, so the first one is nearly always the one.
      Iterator<PendingReport> iterator = turn.iterator();
      while (iterator.hasNext()) {
        if (iterator.next().origin().equals(origin)) {
          iterator.remove();
          break;
        }
      }
    }
  }

  /** The link is restored: stranded reports wait no longer. */
  synchronized void hurry() {
    waiting =
        waiting.stream()
            .map(pending -> pending.stranded() ? pending.hurried() : pending)
            .collect(toCollection(ArrayDeque::new));
  }

  /** When the next report is due; {@link Long#MAX_VALUE} if none waits. */
  synchronized long nextDue() {
    return waiting.stream().mapToLong(PendingReport::notBefore).min().orElse(Long.MAX_VALUE);
  }

  synchronized boolean anyStranded() {
    return stream().anyMatch(PendingReport::stranded);
  }

  /** All reports that are not known to be settled. */
  synchronized List<PendingReport> unsettled() {
    return stream().toList();
  }

  private Stream<PendingReport> stream() {
    return Stream.concat(waiting.stream(), inProgress.values().stream().flatMap(Deque::stream));
  }
}
