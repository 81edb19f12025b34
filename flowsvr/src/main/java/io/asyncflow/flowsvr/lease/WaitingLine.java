package io.asyncflow.flowsvr.lease;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.lease.TaskClaimer.Asking;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds of one type that are served together, first come first served.
 *
 * <pre>
 *   comes ──▶ nothing is known to be due, and it can wait ──▶ parked
 *     │
 *     ▼
 *   a round: one claim for all who are here ──▶ tasks, or nothing, or parked
 *     ▲                                                          │
 *     └── news, the next due time, some seconds gone by ─────────┘
 * </pre>
 *
 * <p>One thread at a time serves the line. A hold that finds nobody at it serves itself, so a lone
 * one waits for nothing; those that come meanwhile go together in the next round, as do all who are
 * parked. Whatever news arrives during a round makes for one more, so a burst of creates costs as
 * many claims as holds can be filled, not as many as creates.
 *
 * <p>Thread-safe; no method calls out while it has the lock.
 */
final class WaitingLine {

  private static final Logger log = LoggerFactory.getLogger(WaitingLine.class);

  /** The line asks again after this when it was told nothing. */
  private static final long FALLBACK_MS = 1_000;

  /** The line asks again after this, whatever it was told. */
  private static final long LONGEST_REST_MS = 5_000;

  /** A hold that does not wait is not sent away so long, where a claim was not sure. */
  private static final long PATIENCE_MS = 250;

  private static final long FIRST_PAUSE_MS = 2;

  /** Holds that were given something and whose repeat would be told at once. */
  private static final int REMEMBERED = 1_000;

  private final Function<List<Asking>, Served> claim;
  private final ToLongFunction<Hold> quietForMs;
  private final Consumer<List<Task>> giveBack;
  private final HoldThreads threads;
  private final LongSupplier nanoTime;

  private final Set<Waiting> line = new LinkedHashSet<>();
  private final Set<List<String>> givenLately = new LinkedHashSet<>();
  private boolean serving;
  private boolean again;
  private boolean closed;
  private ScheduledFuture<?> alarm;
  private long pauseMs = FIRST_PAUSE_MS;
  private volatile String lastFailure;

  /**
   * @param claim asks the database for holds
   * @param quietForMs how long nothing is due for a hold, as far as is known; 0 if it has to ask
   * @param giveBack takes tasks whose callers were gone when they came; what it throws is logged
   * @param nanoTime a monotonic clock
   */
  WaitingLine(
      Function<List<Asking>, Served> claim,
      ToLongFunction<Hold> quietForMs,
      Consumer<List<Task>> giveBack,
      HoldThreads threads,
      LongSupplier nanoTime) {
    this.claim = claim;
    this.quietForMs = quietForMs;
    this.giveBack = giveBack;
    this.threads = threads;
    this.nanoTime = nanoTime;
  }

  /**
   * What one claim came to.
   *
   * @param tasks of each hold, in order
   * @param againInMs when those that got nothing should ask again, where all of them are sure
   * @param sure of each hold, whether there was nothing for it if it got nothing
   */
  record Served(List<List<Task>> tasks, long againInMs, List<Boolean> sure) {}

  private static final class Waiting {
    final Hold hold;
    final long cameAt;
    final CompletableFuture<List<Task>> answer = new CompletableFuture<>();

    /** Whether it has been asked for, so that it only waits now. */
    boolean parked;

    /** Whether a claim has looked what an earlier delivery of it was given; only for claims. */
    boolean checked;

    Future<?> timeout;

    /** A later delivery of the same hold; what is taken for this one belongs to that. */
    volatile Waiting repeat;

    Waiting(Hold hold, long cameAt) {
      this.hold = hold;
      this.cameAt = cameAt;
    }

    boolean canWait() {
      return !hold.waitTime().isZero();
    }

    boolean isSameCall(Hold other) {
      return hold.isRepeatable()
          && hold.holdId().equals(other.holdId())
          && hold.workerId().equals(other.workerId());
    }

    List<String> key() {
      return List.of(hold.workerId(), hold.holdId());
    }

    Asking asking() {
      return new Asking(hold, !checked, !canWait(), cameAt);
    }

    /** Whether it was answered with these tasks by another claim; one trace a hold. */
    boolean wasToldOf(List<Task> tasks) {
      if (answer.isCompletedExceptionally()) {
        return false;
      }
      List<Task> told = answer.getNow(List.of());
      return !told.isEmpty() && told.get(0).traceId().equals(tasks.get(0).traceId());
    }
  }

  /** How many holds wait for work, or for their claim. */
  synchronized int size() {
    return line.size();
  }

  /**
   * Lets a hold join. It takes the place of an earlier delivery of the same hold that is parked; of
   * deliveries that come at the same time each is told the same.
   *
   * @return its tasks; none when nothing became due in time, an error if the claim failed
   */
  CompletableFuture<List<Task>> join(Hold hold) {
    Waiting newcomer = new Waiting(hold, nanoTime.getAsLong());
    Waiting earlier;
    boolean mayBeQuiet;
    synchronized (this) {
      if (closed) {
        return CompletableFuture.completedFuture(List.of());
      }
      // At one stroke, so that tasks just taken for the earlier one always find this one.
      earlier =
          line.stream().filter(one -> one.parked && one.isSameCall(hold)).findFirst().orElse(null);
      if (earlier != null) {
        earlier.repeat = newcomer;
      }
      line.add(newcomer);
      boolean isRepeat = hold.isRepeatable() && givenLately.contains(newcomer.key());
      mayBeQuiet = newcomer.canWait() && !isRepeat;
    }
    newcomer.answer.whenComplete((tasks, error) -> forget(newcomer));
    if (earlier != null) {
      leaveWithNothing(earlier);
    }
    // Only now, so that news is seen either by this or by whoever brings it.
    long quiet = mayBeQuiet ? quietForMs.applyAsLong(hold) : 0;
    if (quiet > 0) {
      park(newcomer);
      setAlarm(quiet);
    } else if (beginToServe()) {
      serveRound();
    }
    return newcomer.answer;
  }

  /** Something is waiting that was not before. */
  void news() {
    synchronized (this) {
      if (line.isEmpty()) {
        return;
      }
    }
    serve();
  }

  /** Answers everybody with nothing from now on; for a server that stops. */
  void close() {
    List<Waiting> everybody;
    synchronized (this) {
      closed = true;
      everybody = new ArrayList<>(line);
    }
    everybody.forEach(this::leaveWithNothing);
  }

  private void serve() {
    if (beginToServe()) {
      serveInAThread();
    }
  }

  /** If there is no thread to be had, whoever comes next serves, or the alarm. */
  private void serveInAThread() {
    try {
      threads.execute(this::serveRound);
    } catch (Throwable e) { // even an Error, or nobody would ever serve this line again
      log.warn("no thread could be had to serve holds; those that wait will be in a second", e);
      synchronized (this) {
        serving = false;
      }
      setAlarm(FALLBACK_MS);
    }
  }

  /** False if somebody is at it; then there will be one more round. */
  private synchronized boolean beginToServe() {
    again = serving;
    serving = true;
    return !again;
  }

  /** One round; if there was news meanwhile, the next one queues up behind the other lines. */
  private void serveRound() {
    List<Waiting> round;
    synchronized (this) {
      again = false;
      round = line.stream().filter(one -> !one.answer.isDone()).toList();
    }
    long againInMs = FALLBACK_MS;
    if (!round.isEmpty()) {
      try {
        againInMs = serve(round);
        lastFailure = null;
      } catch (Throwable e) { // even after an Error somebody must go on serving this line
        fail(e);
      }
    }
    boolean goOn;
    synchronized (this) {
      goOn = again;
      serving = goOn;
    }
    if (goOn) {
      serveInAThread();
    } else {
      setAlarm(againInMs);
    }
  }

  /** One claim for all of them; returns when those that are left want the next one. */
  private long serve(List<Waiting> round) {
    List<List<Waiting>> calls = List.copyOf(sameCalls(round));
    Served served = claim.apply(calls.stream().map(call -> call.get(0).asking()).toList());
    List<Task> undelivered = new ArrayList<>();
    boolean gaveAny = false;
    boolean allSure = true;
    for (int i = 0; i < calls.size(); i++) {
      List<Waiting> call = calls.get(i);
      List<Task> tasks = served.tasks().get(i);
      if (!tasks.isEmpty()) {
        undelivered.addAll(leave(call, tasks));
        gaveAny = true;
      } else {
        boolean isSure = served.sure().get(i);
        call.forEach(one -> gotNothing(one, isSure));
        allSure &= isSure;
      }
    }
    giveBack(undelivered);
    if (allSure || gaveAny) {
      pauseMs = FIRST_PAUSE_MS;
    } else {
      pauseMs = Math.min(2 * pauseMs, FALLBACK_MS / 4);
    }
    return allSure ? served.againInMs() : pauseMs;
  }

  /** It is timed from now on, whatever the others got: they may get something for ever. */
  private void gotNothing(Waiting one, boolean isSure) {
    if (isSure && !one.canWait()) {
      leaveWithNothing(one);
    } else {
      one.checked |= isSure;
      park(one);
    }
  }

  /** Last of all: nobody who is there waits for it, or loses tasks because it fails. */
  private void giveBack(List<Task> undelivered) {
    if (undelivered.isEmpty()) {
      return;
    }
    try {
      giveBack.accept(undelivered);
    } catch (RuntimeException e) {
      log.warn(
          "{} tasks whose callers were gone could not be given back; they wait again when their"
              + " leases have run out",
          undelivered.size(),
          e);
    }
  }

  /** The deliveries of each hold, in the order of the line. */
  private static Collection<List<Waiting>> sameCalls(List<Waiting> round) {
    Map<Object, List<Waiting>> calls = new LinkedHashMap<>();
    for (Waiting one : round) {
      Object call = one.hold.isRepeatable() ? one.key() : one;
      calls.computeIfAbsent(call, c -> new ArrayList<>()).add(one);
    }
    return calls.values();
  }

  /** Who came for this claim is told; who waits anyway goes on waiting. */
  private void fail(Throwable e) {
    List<Waiting> unasked;
    synchronized (this) {
      unasked = line.stream().filter(one -> !one.parked || !one.canWait()).toList();
    }
    unasked.forEach(one -> one.answer.completeExceptionally(e));
    String failure = e.toString();
    if (!failure.equals(lastFailure)) {
      log.info("holds could not be served; those that wait will be in about a second: {}", failure);
      lastFailure = failure;
    }
  }

  /** From now on it waits, until the time that its caller gave it when it came is over. */
  private synchronized void park(Waiting one) {
    if (one.parked || !line.contains(one)) {
      return;
    }
    one.parked = true;
    long patience = one.canWait() ? one.hold.waitTime().toMillis() - ageMs(one) : PATIENCE_MS;
    one.timeout = threads.after(patience, () -> leaveWithNothing(one));
  }

  private long ageMs(Waiting one) {
    return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - one.cameAt);
  }

  private void leaveWithNothing(Waiting one) {
    leave(List.of(one), List.of());
  }

  /**
   * Answers the deliveries of one hold. If none of them is there any more, the tasks belong to a
   * later one.
   *
   * @return the tasks that are nobody's, because that one is gone too, or there is none
   */
  private List<Task> leave(List<Waiting> call, List<Task> tasks) {
    call.forEach(this::forget);
    if (!tasks.isEmpty() && call.get(0).hold.isRepeatable()) {
      remember(call.get(0));
    }
    boolean areTold = false;
    for (Waiting one : call) {
      areTold |= one.answer.complete(tasks);
    }
    if (areTold || tasks.isEmpty() || call.stream().anyMatch(one -> one.wasToldOf(tasks))) {
      return List.of();
    }
    return call.stream()
        .map(one -> one.repeat)
        .filter(Objects::nonNull)
        .findFirst()
        .map(repeat -> leave(List.of(repeat), tasks))
        .orElse(tasks);
  }

  private synchronized void remember(Waiting one) {
    if (givenLately.add(one.key()) && givenLately.size() > REMEMBERED) {
      givenLately.remove(givenLately.iterator().next());
    }
  }

  private synchronized void forget(Waiting one) {
    line.remove(one);
    if (one.timeout != null) {
      one.timeout.cancel(false);
    }
    if (line.isEmpty() && alarm != null) {
      alarm.cancel(false);
      alarm = null;
    }
  }

  /** The next round comes then, unless one is due earlier. */
  private synchronized void setAlarm(long inMs) {
    if (line.isEmpty()) {
      return;
    }
    long pause = Math.max(1, Math.min(inMs, LONGEST_REST_MS));
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
}
