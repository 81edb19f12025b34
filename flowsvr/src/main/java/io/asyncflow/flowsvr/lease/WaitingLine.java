package io.asyncflow.flowsvr.lease;

import io.asyncflow.api.Task;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parked holds of one type, first come first served.
 *
 * <p>One thread at a time serves the line: whatever news arrives meanwhile makes it go round once
 * more, so a burst of creates costs as many claims as holds can be filled, not as many as creates.
 * Of holds that ask for the same stages only the first one asks the database when nothing is due.
 *
 * <p>Thread-safe; no method calls out while it has the lock.
 */
final class WaitingLine {

  private static final Logger log = LoggerFactory.getLogger(WaitingLine.class);

  /** The fallback poll comes after this, give or take a quarter. */
  private static final long FALLBACK_MS = 1_000;

  private final Function<Hold, Served> claim;
  private final Consumer<List<Task>> giveBack;
  private final HoldThreads threads;

  private final Set<Parked> parked = new LinkedHashSet<>();
  private long newsCount;
  private boolean serving;
  private boolean again;
  private Future<?> alarm;

  /**
   * @param claim asks the database for one hold
   * @param giveBack takes tasks whose caller was gone when they came
   */
  WaitingLine(Function<Hold, Served> claim, Consumer<List<Task>> giveBack, HoldThreads threads) {
    this.claim = claim;
    this.giveBack = giveBack;
    this.threads = threads;
  }

  /** What one claim came to; {@code nextDueInMs} is empty if unknown. */
  record Served(List<Task> tasks, OptionalLong nextDueInMs) {}

  private static final class Parked {
    final Hold hold;
    final CompletableFuture<List<Task>> answer = new CompletableFuture<>();
    Future<?> timeout;

    Parked(Hold hold) {
      this.hold = hold;
    }

    boolean isSameCall(Hold other) {
      return hold.isRepeatable()
          && hold.holdId().equals(other.holdId())
          && hold.workerId().equals(other.workerId());
    }
  }

  synchronized long newsCount() {
    return newsCount;
  }

  synchronized int size() {
    return parked.size();
  }

  /**
   * Parks a hold that found nothing.
   *
   * @param newsSeen {@link #newsCount} before it looked
   * @param nextDueInMs what it learned from its look
   */
  CompletableFuture<List<Task>> park(Hold hold, long newsSeen, OptionalLong nextDueInMs) {
    Parked newcomer = new Parked(hold);
    replace(hold);
    synchronized (this) {
      parked.add(newcomer);
      newcomer.timeout =
          threads.after(hold.waitTime().toMillis(), () -> leave(newcomer, List.of()));
    }
    newcomer.answer.whenComplete((tasks, error) -> forget(newcomer));
    if (newsCount() != newsSeen) {
      serve();
    } else {
      setAlarm(nextDueInMs);
    }
    return newcomer.answer;
  }

  /** Answers an earlier delivery of the same hold with nothing: this one takes its place. */
  void replace(Hold hold) {
    if (!hold.isRepeatable()) {
      return;
    }
    Parked earlier = null;
    synchronized (this) {
      for (Parked candidate : parked) {
        if (candidate.isSameCall(hold)) {
          earlier = candidate;
        }
      }
    }
    if (earlier != null) {
      leave(earlier, List.of());
    }
  }

  /** Something is waiting that was not before. */
  void news() {
    synchronized (this) {
      newsCount++;
      if (parked.isEmpty()) {
        return;
      }
    }
    serve();
  }

  /** Answers everybody with nothing; for a server that stops. */
  void dismissAll() {
    List<Parked> everybody;
    synchronized (this) {
      everybody = new ArrayList<>(parked);
    }
    everybody.forEach(one -> leave(one, List.of()));
  }

  private void serve() {
    synchronized (this) {
      if (serving) {
        again = true;
        return;
      }
      serving = true;
    }
    threads.execute(this::serveUntilQuiet);
  }

  private void serveUntilQuiet() {
    OptionalLong nextDueInMs = OptionalLong.empty();
    boolean goOn = true;
    while (goOn) {
      synchronized (this) {
        again = false;
      }
      try {
        nextDueInMs = serveOnce();
      } catch (RuntimeException e) {
        // The holds stay parked; the fallback poll tries again.
        log.info(
            "parked holds could not be served and will be in about a second: {}", e.toString());
      }
      synchronized (this) {
        goOn = again;
        serving = goOn;
      }
    }
    setAlarm(nextDueInMs);
  }

  /** One claim for each hold, until nothing is left for its stages. */
  private OptionalLong serveOnce() {
    Set<Set<String>> nothingFor = new HashSet<>();
    OptionalLong nextDue = OptionalLong.empty();
    for (Parked one : snapshot()) {
      if (one.answer.isDone() || nothingFor.contains(one.hold.stages())) {
        continue;
      }
      Served served = claim.apply(one.hold);
      if (!served.tasks().isEmpty()) {
        leave(one, served.tasks());
      } else {
        nothingFor.add(one.hold.stages());
        nextDue = earlier(nextDue, served.nextDueInMs());
      }
    }
    return nextDue;
  }

  private synchronized List<Parked> snapshot() {
    return new ArrayList<>(parked);
  }

  private void leave(Parked one, List<Task> tasks) {
    forget(one);
    if (!one.answer.complete(tasks) && !tasks.isEmpty()) {
      giveBack.accept(tasks);
    }
  }

  private synchronized void forget(Parked one) {
    parked.remove(one);
    if (one.timeout != null) {
      one.timeout.cancel(false);
    }
    if (parked.isEmpty() && alarm != null) {
      alarm.cancel(false);
      alarm = null;
    }
  }

  /** The next round comes when something is due, at the latest with the fallback poll. */
  private synchronized void setAlarm(OptionalLong nextDueInMs) {
    if (parked.isEmpty()) {
      return;
    }
    boolean sooner = nextDueInMs.isPresent() && nextDueInMs.getAsLong() < FALLBACK_MS;
    if (alarm != null && !alarm.isDone()) {
      if (!sooner) {
        return;
      }
      alarm.cancel(false);
    }
    long quarter = FALLBACK_MS / 4;
    long fallback = FALLBACK_MS - quarter + ThreadLocalRandom.current().nextLong(2 * quarter);
    long pause =
        nextDueInMs.isPresent()
            ? Math.min(fallback, Math.max(1, nextDueInMs.getAsLong()))
            : fallback;
    alarm = threads.after(pause, this::serve);
  }

  private static OptionalLong earlier(OptionalLong a, OptionalLong b) {
    if (a.isEmpty() || b.isEmpty()) {
      return a.isEmpty() ? b : a;
    }
    return OptionalLong.of(Math.min(a.getAsLong(), b.getAsLong()));
  }
}
