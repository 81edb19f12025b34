package io.asyncflow.flowsvr.lease;

import io.asyncflow.api.Task;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parked holds of one type, first come first served.
 *
 * <p>One thread at a time serves the line: whatever news arrives meanwhile makes for one more
 * round, so a burst of creates costs as many claims as holds can be filled, not as many as creates.
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
  private boolean closed;
  private ScheduledFuture<?> alarm;
  private volatile String lastFailure;

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
    volatile boolean superseded;

    Parked(Hold hold) {
      this.hold = hold;
    }

    boolean isSameCall(Hold other) {
      return hold.isRepeatable()
          && hold.holdId().equals(other.holdId())
          && hold.workerId().equals(other.workerId());
    }

    /** Whether somebody else looked these tasks up and answered with them; one trace a hold. */
    boolean wasToldOf(List<Task> tasks) {
      if (answer.isCompletedExceptionally()) {
        return false;
      }
      List<Task> told = answer.getNow(List.of());
      return !told.isEmpty() && told.get(0).traceId().equals(tasks.get(0).traceId());
    }
  }

  synchronized long newsCount() {
    return newsCount;
  }

  synchronized int size() {
    return parked.size();
  }

  /**
   * Parks a hold that found nothing; it takes the place of an earlier delivery of the same hold.
   *
   * @param newsSeen {@link #newsCount} before it looked
   * @param nextDueInMs what it learned from its look
   */
  CompletableFuture<List<Task>> park(Hold hold, long newsSeen, OptionalLong nextDueInMs) {
    Parked newcomer = new Parked(hold);
    Optional<Parked> earlier;
    synchronized (this) {
      if (closed) {
        return CompletableFuture.completedFuture(List.of());
      }
      // At one stroke, so that tasks just taken for the earlier one always find this one.
      earlier = sameCall(hold);
      earlier.ifPresent(one -> one.superseded = true);
      parked.add(newcomer);
      newcomer.timeout =
          threads.after(hold.waitTime().toMillis(), () -> leave(newcomer, List.of()));
    }
    earlier.ifPresent(one -> leave(one, List.of()));
    newcomer.answer.whenComplete((tasks, error) -> forget(newcomer));
    if (newsCount() != newsSeen) {
      serve();
    } else {
      setAlarm(nextDueInMs);
    }
    return newcomer.answer;
  }

  /**
   * Answers an earlier delivery of a hold with nothing, because this one was just answered.
   *
   * @param withTasks whether it was told what it holds; if not, tasks that are being taken for the
   *     earlier one are nobody's
   */
  void supersede(Hold hold, boolean withTasks) {
    Optional<Parked> earlier;
    synchronized (this) {
      earlier = sameCall(hold);
      earlier.ifPresent(one -> one.superseded = withTasks);
    }
    earlier.ifPresent(one -> leave(one, List.of()));
  }

  private synchronized Optional<Parked> sameCall(Hold hold) {
    return parked.stream().filter(one -> one.isSameCall(hold)).findFirst();
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

  /** Answers everybody with nothing from now on; for a server that stops. */
  void close() {
    List<Parked> everybody;
    synchronized (this) {
      closed = true;
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
    threads.execute(this::serveRound);
  }

  /** One round; if there was news meanwhile, the next one queues up behind the other lines. */
  private void serveRound() {
    OptionalLong nextDueInMs = OptionalLong.empty();
    synchronized (this) {
      again = false;
    }
    try {
      nextDueInMs = serveOnce();
      lastFailure = null;
    } catch (Throwable e) { // even after an Error somebody must go on serving this line
      reportFailure(e);
    }
    boolean goOn;
    synchronized (this) {
      goOn = again;
      serving = goOn;
    }
    if (goOn) {
      threads.execute(this::serveRound);
    } else {
      setAlarm(nextDueInMs);
    }
  }

  private void reportFailure(Throwable e) {
    String failure = e.toString();
    if (!failure.equals(lastFailure)) {
      log.info("parked holds could not be served and will be in about a second: {}", failure);
      lastFailure = failure;
    }
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
    if (one.answer.complete(tasks) || tasks.isEmpty() || one.wasToldOf(tasks)) {
      return;
    }
    if (one.superseded) {
      // The later delivery holds these tasks: it has been told so, or waits here to be told.
      sameCall(one.hold).ifPresent(later -> leave(later, tasks));
    } else {
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
    long quarter = FALLBACK_MS / 4;
    long fallback = FALLBACK_MS - quarter + ThreadLocalRandom.current().nextLong(2 * quarter);
    long pause = Math.min(fallback, Math.max(1, nextDueInMs.orElse(fallback)));
    if (alarm != null) {
      if (alarm.getDelay(TimeUnit.MILLISECONDS) <= pause) {
        return;
      }
      alarm.cancel(false);
    }
    alarm = threads.after(pause, this::ring);
  }

  /** The alarm is over before the round starts, which sets the next one and may be quick. */
  private void ring() {
    synchronized (this) {
      alarm = null;
    }
    serve();
  }

  private static OptionalLong earlier(OptionalLong a, OptionalLong b) {
    if (a.isEmpty() || b.isEmpty()) {
      return a.isEmpty() ? b : a;
    }
    return OptionalLong.of(Math.min(a.getAsLong(), b.getAsLong()));
  }
}
