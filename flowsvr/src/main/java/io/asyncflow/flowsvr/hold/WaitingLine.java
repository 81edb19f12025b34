package io.asyncflow.flowsvr.hold;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.claim.Hold;
import io.asyncflow.flowsvr.claim.TaskClaimer.ClaimRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
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
 *   comes ──▶ nothing is known to be due, and it can wait ──▶ parked ({@link ParkedHolds})
 *     │
 *     ▼
 *   a round: one claim for all that are here ({@link ClaimRounds}) ──▶ tasks, nothing, or parked
 *     ▲                                                                                   │
 *     └── news, the next due time, what the scan has found ───────────────────────────────┘
 * </pre>
 *
 * <p>A hold that comes while no round is under way makes one itself, so a lone one waits for
 * nothing; those that come meanwhile go together in the next round, as do all that are parked.
 *
 * <p>Thread-safe; no method calls out while it has a lock.
 */
final class WaitingLine {

  private static final Logger log = LoggerFactory.getLogger(WaitingLine.class);

  /** The next claim comes after this where one failed, or nothing was there to claim for. */
  private static final long FALLBACK_MS = 1_000;

  private static final long FIRST_PAUSE_MS = 2;

  private final Function<List<ClaimRequest>, Served> claim;
  private final ToLongFunction<Hold> quietForMs;
  private final Consumer<List<Task>> giveBack;
  private final Redelivery redelivery = new Redelivery();
  private final ParkedHolds holds;
  private final ClaimRounds rounds;
  private long pauseMs = FIRST_PAUSE_MS; // only in rounds
  private String lastFailure; // only in rounds

  /**
   * @param claim asks the database for holds
   * @param quietForMs how long nothing is due for a hold, as far as is known; 0 if it has to ask
   * @param giveBack takes tasks whose callers were gone when they came; what it throws is logged
   * @param nanoTime a monotonic clock
   */
  WaitingLine(
      Function<List<ClaimRequest>, Served> claim,
      ToLongFunction<Hold> quietForMs,
      Consumer<List<Task>> giveBack,
      HoldThreads threads,
      LongSupplier nanoTime) {
    this.claim = claim;
    this.quietForMs = quietForMs;
    this.giveBack = giveBack;
    this.rounds = new ClaimRounds(this::round, this::isAnyWaiting, threads);
    this.holds = new ParkedHolds(redelivery, threads, nanoTime, rounds::restIfNothingWaits);
  }

  /**
   * What one claim came to.
   *
   * @param tasks of each hold, in order
   * @param againInMs when those that got nothing should ask again, where all of them are sure
   * @param sure of each hold, whether there was nothing for it if it got nothing
   */
  record Served(List<List<Task>> tasks, long againInMs, List<Boolean> complete) {}

  private boolean isAnyWaiting() {
    return size() > 0;
  }

  /** How many holds wait for work, or for their claim. */
  int size() {
    return holds.size();
  }

  /** The stages that holds in the line name; empty where none is here, or none names any. */
  Set<String> stages() {
    return holds.stages();
  }

  /**
   * Lets a hold join. It takes the place of an earlier delivery of the same hold that is parked; of
   * deliveries that come at the same time each is told the same.
   *
   * @return its tasks; none when nothing became due in time, an error if the claim failed
   */
  CompletableFuture<List<Task>> join(Hold hold) {
    WaitingHold newcomer = holds.add(hold);
    if (newcomer == null) {
      return CompletableFuture.completedFuture(List.of());
    }
    boolean mayBeQuiet = newcomer.canWait() && !redelivery.isLikely(newcomer);
    // Only now, so that news is seen either by this or by whoever brings it.
    long quiet = mayBeQuiet ? quietForMs.applyAsLong(hold) : 0;
    if (quiet > 0) {
      holds.park(newcomer);
      rounds.runIn(quiet);
    } else {
      rounds.runHere();
    }
    return newcomer.answer;
  }

  /** Something is waiting that was not before. */
  void news() {
    if (isAnyWaiting()) {
      rounds.run();
    }
  }

  /** Something that the line may not know of is due then. */
  void dueIn(long ms) {
    rounds.runIn(ms);
  }

  /** Answers everybody with nothing from now on; for a server that stops. */
  void close() {
    holds.close();
  }

  /** One claim for all that are here; returns when those that are left want the next one. */
  private long round() {
    List<WaitingHold> round = holds.unanswered();
    if (round.isEmpty()) {
      return FALLBACK_MS;
    }
    try {
      long againInMs = serve(round);
      lastFailure = null;
      return againInMs;
    } catch (Throwable e) { // even after an Error the line must be served on
      fail(e);
      return FALLBACK_MS;
    }
  }

  private long serve(List<WaitingHold> round) {
    List<List<WaitingHold>> calls = Redelivery.byCall(round);
    Served served =
        claim.apply(calls.stream().map(call -> WaitingLine.asking(call.get(0))).toList());
    List<Task> undelivered = new ArrayList<>();
    boolean gaveAny = false;
    boolean allSure = true;
    for (int i = 0; i < calls.size(); i++) {
      List<WaitingHold> call = calls.get(i);
      List<Task> tasks = served.tasks().get(i);
      if (!tasks.isEmpty()) {
        undelivered.addAll(holds.answer(call, tasks));
        gaveAny = true;
      } else {
        boolean isComplete = served.complete().get(i);
        call.forEach(one -> gotNothing(one, isComplete));
        allSure &= isComplete;
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

  private static ClaimRequest asking(WaitingHold one) {
    return new ClaimRequest(one.hold, !one.checked, !one.canWait(), one.arrivedAt);
  }

  /** It is timed from now on, whatever the others got: they may get something for ever. */
  private void gotNothing(WaitingHold one, boolean isComplete) {
    if (isComplete && !one.canWait()) {
      holds.answer(List.of(one), List.of());
    } else {
      one.checked |= isComplete;
      holds.park(one);
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

  /** A hold that came for this claim is told; one that waits anyway goes on waiting. */
  private void fail(Throwable e) {
    holds.unasked().forEach(one -> one.answer.completeExceptionally(e));
    String failure = e.toString();
    if (!failure.equals(lastFailure)) {
      log.info("holds could not be served; those that wait will be in about a second: {}", failure);
      lastFailure = failure;
    }
  }
}
