package io.asyncflow.flowsvr.hold;

import static java.util.Collections.disjoint;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.claim.Hold;
import io.asyncflow.flowsvr.claim.TaskClaimer.ClaimRequest;
import io.asyncflow.flowsvr.task.TasksWaiting;
import java.util.ArrayList;
import java.util.HashSet;
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
 * Holds of one type that share their claims, first come first served.
 *
 * <pre>
 *   arrives ──▶ known that nothing is due, and it can wait ──▶ parked ({@link UnansweredHolds})
 *     │
 *     ▼
 *   a round: one claim for all holds of the line ({@link ClaimRounds}) ──▶ tasks, none, or parked
 *     ▲                                                                                   │
 *     └── news, the next due time, a find of the scan ───────────────────────────────────┘
 * </pre>
 *
 * <p>A hold that arrives while no round is running makes one in its own thread, so a single hold
 * does not wait. Holds that arrive during a round share the next one, with all parked holds. A
 * round that only arrivals caused asks for the lanes of these alone: what is due for the parked
 * ones news, the alarm or the scan tells.
 *
 * <p>Thread-safe; no method calls foreign code while it holds a lock.
 */
final class WaitingLine {

  private static final Logger log = LoggerFactory.getLogger(WaitingLine.class);

  /** The delay before the next claim after a failure, or if no hold waited. */
  private static final long FAILURE_PAUSE_MS = 1_000;

  /** The delay before the claim after an incomplete one; doubled each time, up to the longest. */
  private static final long FIRST_PAUSE_MS = 2;

  private static final long LONGEST_PAUSE_MS = 250;

  private final Function<List<ClaimRequest>, RoundResult> claim;
  private final ToLongFunction<Hold> quietForMs;
  private final Consumer<List<Task>> release;
  private final Redelivery redelivery = new Redelivery();
  private final UnansweredHolds holds;
  private final ClaimRounds rounds;
  private long pauseMs = FIRST_PAUSE_MS; // only in rounds
  private String lastFailure; // only in rounds

  /**
   * @param claim makes one claim for the holds
   * @param quietForMs how many ms nothing is due for a hold, as far as is known; 0 if a claim is
   *     needed
   * @param release releases tasks whose callers are gone; its exceptions are logged
   * @param nanoTime a monotonic clock
   */
  WaitingLine(
      Function<List<ClaimRequest>, RoundResult> claim,
      ToLongFunction<Hold> quietForMs,
      Consumer<List<Task>> release,
      HoldThreads threads,
      LongSupplier nanoTime) {
    this.claim = claim;
    this.quietForMs = quietForMs;
    this.release = release;
    this.rounds = new ClaimRounds(this::round, this::isAnyWaiting, threads);
    this.holds = new UnansweredHolds(redelivery, threads, nanoTime, rounds::cancelAlarmIfIdle);
  }

  /**
   * The result of one claim.
   *
   * @param tasks the tasks of each hold, in order
   * @param againInMs milliseconds until holds without tasks should claim again, if all of them are
   *     complete
   * @param complete of each hold without tasks, whether it is certain that nothing was due for it
   */
  record RoundResult(List<List<Task>> tasks, long againInMs, List<Boolean> complete) {}

  private boolean isAnyWaiting() {
    return size() > 0;
  }

  /** The number of unanswered holds. */
  int size() {
    return holds.size();
  }

  /** The number of parked holds. */
  int parked() {
    return holds.parked();
  }

  /** The stages that the holds name; empty if there is no hold, or none names stages. */
  Set<String> stages() {
    return holds.stages();
  }

  /** The workers of the holds. */
  Set<String> workers() {
    return holds.workers();
  }

  /**
   * Adds a hold. It replaces a parked earlier delivery of the same hold; deliveries that arrive at
   * the same time get the same answer.
   *
   * @return its tasks; empty if nothing became due in time; failed if the claim failed
   */
  CompletableFuture<List<Task>> join(Hold hold) {
    WaitingHold newcomer = holds.add(hold);
    if (newcomer == null) {
      return CompletableFuture.completedFuture(List.of());
    }
    boolean mayBeQuiet = newcomer.canWait() && !redelivery.isLikelyRepeat(newcomer);
    // Only now: so either this check or the thread of the news sees the hold and the task together.
    long quiet = mayBeQuiet ? quietForMs.applyAsLong(hold) : 0;
    if (quiet > 0) {
      holds.park(newcomer);
      rounds.runIn(quiet);
    } else {
      rounds.runInCallersThread();
    }
    return newcomer.answer;
  }

  /** Tasks of the type may have become claimable ({@link TasksWaiting}). */
  void news() {
    if (isAnyWaiting()) {
      rounds.run();
    }
  }

  /** A task that the line may not know of is due after this delay. */
  void dueIn(long inMs) {
    rounds.runIn(inMs);
  }

  /** Answers all holds without tasks, now and from now on; for a server that stops. */
  void close() {
    holds.close();
  }

  /**
   * Makes one claim for all unanswered holds. Returns the delay in ms until the next one.
   *
   * @param forAll whether to ask for the lanes of parked holds, too
   */
  private long round(boolean forAll) {
    List<WaitingHold> round = holds.unanswered();
    if (round.isEmpty()) {
      return FAILURE_PAUSE_MS;
    }
    try {
      long againInMs = serve(round, forAll);
      lastFailure = null;
      return againInMs;
    } catch (Throwable e) { // even after an Error, later rounds must run
      fail(round, e);
      return FAILURE_PAUSE_MS;
    }
  }

  private long serve(List<WaitingHold> round, boolean forAll) {
    List<List<WaitingHold>> calls = Redelivery.byCall(round);
    Set<WaitingHold> awaiting = forAll ? Set.of() : new HashSet<>(holds.awaitingClaim());
    List<ClaimRequest> requests = new ArrayList<>();
    for (List<WaitingHold> call : calls) {
      requests.add(claimRequest(call.get(0), forAll || !disjoint(call, awaiting)));
    }
    RoundResult result = claim.apply(requests);
    List<Task> undelivered = new ArrayList<>();
    boolean anyTasks = false;
    boolean allComplete = true;
    for (int i = 0; i < calls.size(); i++) {
      List<WaitingHold> call = calls.get(i);
      List<Task> tasks = result.tasks().get(i);
      if (!tasks.isEmpty()) {
        undelivered.addAll(holds.answer(call, tasks));
        anyTasks = true;
      } else {
        boolean isComplete = result.complete().get(i);
        call.forEach(waiting -> onNoTasks(waiting, isComplete));
        allComplete &= isComplete;
      }
    }
    release(undelivered);
    if (allComplete || anyTasks) {
      pauseMs = FIRST_PAUSE_MS;
    } else {
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
    return allComplete ? result.againInMs() : pauseMs;
  }

  private static ClaimRequest claimRequest(WaitingHold waiting, boolean asksLanes) {
    return new ClaimRequest(
        waiting.hold, !waiting.checked, !waiting.canWait(), waiting.arrivedAt, asksLanes);
  }

  /**
   * Parks a hold that got no tasks, whatever the others got, so that its time-out runs; or answers
   * it if it does not wait.
   */
  private void onNoTasks(WaitingHold waiting, boolean isComplete) {
    if (isComplete && !waiting.canWait()) {
      holds.answer(List.of(waiting), List.of());
    } else {
      waiting.checked |= isComplete;
      holds.park(waiting);
    }
  }

  /**
   * Releases undelivered tasks. It comes last, so that it delays no hold, and its failure affects
   * none.
   */
  private void release(List<Task> undelivered) {
    if (undelivered.isEmpty()) {
      return;
    }
    try {
      release.accept(undelivered);
    } catch (RuntimeException e) {
      log.warn(
          "{} tasks whose callers were gone could not be released; they wait again when their"
              + " leases have run out",
          undelivered.size(),
          e);
    }
  }

  /**
   * Fails the holds that need the result of this claim; parked holds go on waiting. The next claim
   * reads whether any of them got tasks: the failed one may have committed.
   */
  private void fail(List<WaitingHold> round, Throwable e) {
    round.forEach(waiting -> waiting.checked = false);
    Set<WaitingHold> claimedFor = new HashSet<>(round); // later ones have the next round
    holds.awaitingClaim().stream()
        .filter(claimedFor::contains)
        .forEach(waiting -> waiting.answer.completeExceptionally(e));
    String failure = e.toString();
    if (!failure.equals(lastFailure)) {
      log.info("a claim for holds failed; the next one follows in about a second: {}", failure);
      lastFailure = failure;
    }
  }
}
