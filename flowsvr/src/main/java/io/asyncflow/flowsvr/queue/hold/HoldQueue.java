package io.asyncflow.flowsvr.queue.hold;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.queue.claim.Hold;
import io.asyncflow.flowsvr.queue.claim.TaskClaimer.ClaimRequest;
import io.asyncflow.flowsvr.queue.claim.TaskClaimer.ClaimResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds of one type that share their claims, first come first served.
 *
 * <pre>
 *   arrives ──▶ known that nothing is due, and it can wait ──▶ parked
 *     │
 *     ▼
 *   a round: one claim for all holds of the queue ──▶ tasks, none, or parked
 *     ▲                                                            │
 *     └── news, the next due time, a find of the scan ────────────┘
 * </pre>
 *
 * <p>A hold that arrives while no round is running makes one in its own thread, so a single hold
 * does not wait. Holds that arrive during a round share the next one, with all parked holds, as do
 * all requests for a round: so a burst of news costs only as many rounds as there is work for. A
 * round that only arrivals caused asks for the lanes of these alone: what is due for the parked
 * ones news, the alarm or the scan tells.
 *
 * <p>While a create may give its tasks to parked holds, rounds leave these out ({@link #keep}).
 *
 * <p>A later delivery of a hold takes the place of a parked earlier one, which is answered without
 * tasks, and gets the tasks that a claim is taking for it. Deliveries that arrive at the same time
 * get the same answer. Other repeats are left to {@code t_hold}.
 *
 * <p>Thread-safe; no method calls foreign code while it holds the lock.
 */
final class HoldQueue {

  private static final Logger log = LoggerFactory.getLogger(HoldQueue.class);

  /** The delay before the next round after a failure, or if no hold waited. */
  private static final long FAILURE_PAUSE_MS = 1_000;

  /** The delay before the claim after an incomplete one; doubled each time, up to the longest. */
  private static final long FIRST_PAUSE_MS = 2;

  private static final long LONGEST_PAUSE_MS = 250;

  /** The longest delay before the next round. */
  private static final long MAX_DELAY_MS = 5_000;

  /** How long a hold without a wait time may stay unanswered if a claim was not complete. */
  private static final long INCOMPLETE_WAIT_MS = 250;

  /** The most answered holds that are remembered. */
  private static final int REMEMBERED = 1_000;

  private final Function<List<ClaimRequest>, ClaimResult<Task>> claim;
  private final ToLongFunction<Hold> quietForMs;
  private final Consumer<List<Task>> release;
  private final HoldThreads threads;
  private final LongSupplier nanoTime;

  /** The holds without an answer by their keys, in the order of their arrival. */
  private final Map<Object, Waiting> line = new LinkedHashMap<>();

  /** The keys of holds that were given tasks lately: their repeats read {@code t_hold} at once. */
  private final Set<Object> answered = new LinkedHashSet<>();

  private boolean running;
  private boolean anotherRequested;

  /** Whether something else than an arrival asked for the next round. */
  private boolean forAll;

  private ScheduledFuture<?> alarm;
  private long pauseMs = FIRST_PAUSE_MS; // only in rounds
  private String lastFailure; // only in rounds

  /**
   * @param claim makes one claim for the holds
   * @param quietForMs how many ms nothing is due for a hold, as far as is known; 0 if a claim is
   *     needed
   * @param release releases tasks whose callers are gone; its exceptions are logged
   * @param nanoTime a monotonic clock
   */
  HoldQueue(
      Function<List<ClaimRequest>, ClaimResult<Task>> claim,
      ToLongFunction<Hold> quietForMs,
      Consumer<List<Task>> release,
      HoldThreads threads,
      LongSupplier nanoTime) {
    this.claim = claim;
    this.quietForMs = quietForMs;
    this.release = release;
    this.threads = threads;
    this.nanoTime = nanoTime;
  }

  /** A hold without an answer. The lock of the queue guards it. */
  private static final class Waiting {

    private final Object key;

    /** One for each delivery that was not replaced. */
    private final List<CompletableFuture<List<Task>>> answers = new ArrayList<>();

    private Hold hold;
    private long arrivedAt;

    /**
     * Whether it waits for work, and its time-out runs: after a claim that had nothing for it, or
     * at once if its sources are known to be quiet.
     */
    private boolean parked;

    /** Whether a claim has read {@code t_hold} for an earlier delivery of it. */
    private boolean checked;

    /** Whether tasks may be created for it, so that rounds leave it out. */
    private boolean kept;

    private ScheduledFuture<?> timeout;

    Waiting(Object key) {
      this.key = key;
    }

    boolean isAnswered() {
      return answers.stream().allMatch(CompletableFuture::isDone);
    }

    /** Whether it can be repeated if its answer is lost, and names stages. */
    boolean canBeKept() {
      return hold.isRepeatable() && !hold.workerId().isEmpty() && !hold.stages().isEmpty();
    }

    /** Whether it needs the result of the next claim, rather than waits for work. */
    boolean needsClaim() {
      return !parked || !hold.waits();
    }

    void stopTimeout() {
      if (timeout != null) {
        timeout.cancel(false);
      }
    }
  }

  /** The number of unanswered holds. */
  synchronized int size() {
    return line.size();
  }

  /** The number of parked holds. */
  synchronized int parked() {
    return (int) line.values().stream().filter(waiting -> waiting.parked).count();
  }

  /** The stages that the holds name; empty if there is no hold, or none names stages. */
  synchronized Set<String> stages() {
    return line.values().stream()
        .flatMap(waiting -> waiting.hold.stages().stream())
        .collect(toSet());
  }

  /** The workers of the holds; those of old clients have none. */
  synchronized Set<String> workers() {
    return line.values().stream()
        .map(waiting -> waiting.hold.workerId())
        .filter(worker -> !worker.isEmpty())
        .collect(toSet());
  }

  /**
   * Adds a hold.
   *
   * @return its tasks; empty if nothing became due in time; failed if the claim failed
   */
  CompletableFuture<List<Task>> join(Hold hold) {
    CompletableFuture<List<Task>> answer = new CompletableFuture<>();
    Object key = hold.isRepeatable() ? hold.key() : answer;
    List<CompletableFuture<List<Task>>> replaced = List.of();
    Waiting waiting;
    boolean mayBeQuiet;
    synchronized (this) {
      waiting = line.computeIfAbsent(key, Waiting::new);
      if (waiting.parked) {
        waiting.stopTimeout();
        waiting.parked = false;
        waiting.checked = false;
        replaced = List.copyOf(waiting.answers);
        waiting.answers.clear();
      }
      waiting.answers.add(answer);
      waiting.hold = hold;
      waiting.arrivedAt = nanoTime.getAsLong();
      mayBeQuiet = waiting.hold.waits() && !answered.contains(key);
    }
    answer.whenComplete((tasks, failure) -> removeIfAnswered(waiting));
    replaced.forEach(earlier -> earlier.complete(List.of()));
    // Only now: so either this check or the thread of the news sees the hold and the task together.
    long quiet = mayBeQuiet ? quietForMs.applyAsLong(hold) : 0;
    if (quiet > 0) {
      park(waiting);
      dueIn(quiet);
    } else if (begin(false)) {
      runOnce();
    }
    return answer;
  }

  private synchronized void removeIfAnswered(Waiting waiting) {
    if (waiting.isAnswered()) {
      remove(waiting);
    }
  }

  private synchronized void remove(Waiting waiting) {
    if (line.remove(waiting.key, waiting)) {
      waiting.stopTimeout();
      if (line.isEmpty() && alarm != null) {
        alarm.cancel(false);
        alarm = null;
      }
    }
  }

  /**
   * Keeps the first parked holds of the line from the rounds, because tasks may be created for
   * them.
   *
   * @param wanted a pure function
   * @param most at least 1
   * @return none while a round is running, which may give them other tasks; none behind a hold that
   *     no worker can repeat, which cannot be kept
   */
  synchronized KeptHolds keep(Predicate<Hold> wanted, int most) {
    List<Waiting> kept = new ArrayList<>();
    if (!running) {
      line.values().stream()
          .filter(waiting -> waiting.parked && !waiting.kept && !waiting.isAnswered())
          .takeWhile(waiting -> waiting.canBeKept())
          .filter(waiting -> wanted.test(waiting.hold))
          .limit(most)
          .forEach(kept::add);
      kept.forEach(waiting -> waiting.kept = true);
    }
    return new KeptHolds(kept);
  }

  /** Holds that rounds leave out until they are answered or freed. */
  final class KeptHolds {

    private final List<Waiting> waiting;
    private final List<Hold> holds;
    private boolean isOver;

    private KeptHolds(List<Waiting> waiting) {
      this.waiting = waiting;
      this.holds = waiting.stream().map(one -> one.hold).toList();
    }

    List<Hold> holds() {
      return holds;
    }

    /** Answers those that have tasks, by their places, and frees the others. */
    void answer(List<List<Task>> shares) {
      List<Task> undelivered = new ArrayList<>();
      for (int i = 0; i < shares.size(); i++) {
        List<Task> tasks = shares.get(i);
        boolean isDone = tasks.isEmpty() || isLeftToRepeat(waiting.get(i));
        if (!isDone && !HoldQueue.this.answer(waiting.get(i), tasks)) {
          undelivered.addAll(tasks);
        }
      }
      free();
      if (!undelivered.isEmpty()) {
        threads.execute(() -> release(undelivered));
      }
    }

    /**
     * Lets rounds have those that were not answered. What was created for them may have been
     * committed, so the next round asks {@code t_hold}.
     */
    void free() {
      List<Waiting> overdue = new ArrayList<>();
      boolean isAnyLeft = false;
      synchronized (HoldQueue.this) {
        if (isOver) {
          return;
        }
        isOver = true;
        for (Waiting one : waiting) {
          one.kept = false;
          one.checked = false;
          boolean isLeft = line.get(one.key) == one;
          isAnyLeft |= isLeft;
          if (isLeft && one.parked && ageMs(one) >= one.hold.waitTime().toMillis()) {
            overdue.add(one);
          }
        }
      }
      overdue.forEach(one -> HoldQueue.this.answer(one, List.of()));
      if (isAnyLeft) {
        news();
      }
    }
  }

  /**
   * Whether a kept hold whose caller was gone has been repeated since. A round gives the repeat its
   * tasks, or has done so, by {@code t_hold}.
   */
  private boolean isLeftToRepeat(Waiting kept) {
    synchronized (this) {
      Waiting now = line.get(kept.key);
      if (now == kept || now == null && !answered.contains(kept.key)) {
        return false;
      }
      if (now != null) {
        now.checked = false;
      }
    }
    news();
    return true;
  }

  /** Tasks of the type may have become claimable. */
  void news() {
    if (size() > 0 && begin(true)) {
      runInPool();
    }
  }

  /** A task is due after this delay: sets the alarm, unless it is set for an earlier time. */
  synchronized void dueIn(long delayMs) {
    if (line.isEmpty()) {
      return;
    }
    long pause = Math.max(1, Math.min(delayMs, MAX_DELAY_MS));
    if (alarm != null) {
      if (alarm.getDelay(TimeUnit.MILLISECONDS) <= pause) {
        return;
      }
      alarm.cancel(false);
    }
    alarm = threads.after(pause, this::ring);
  }

  /** Clears the alarm before the round starts, because a quick round may set the next one. */
  private void ring() {
    synchronized (this) {
      alarm = null;
    }
    news();
  }

  /** False if a round is running; then another one is requested. */
  private synchronized boolean begin(boolean isForAll) {
    forAll |= isForAll;
    anotherRequested = running;
    running = true;
    return !anotherRequested;
  }

  /** If no thread can be started, the next caller or the alarm makes the round. */
  private void runInPool() {
    try {
      threads.execute(this::runOnce);
    } catch (Throwable e) { // even an Error, or running would stay true for ever
      log.warn("no thread could be started to claim for holds; trying again in a second", e);
      synchronized (this) {
        running = false;
      }
      dueIn(FAILURE_PAUSE_MS);
    }
  }

  /**
   * Makes one round: one claim for all holds. A round requested meanwhile is queued behind those of
   * other types.
   */
  private void runOnce() {
    Map<Waiting, ClaimRequest> round = new LinkedHashMap<>();
    synchronized (this) {
      anotherRequested = false;
      for (Waiting waiting : line.values()) {
        if (!waiting.isAnswered() && !waiting.kept) {
          boolean asksLanes = forAll || waiting.needsClaim();
          round.put(waiting, new ClaimRequest(waiting.hold, !waiting.checked, asksLanes));
        }
      }
      forAll = false;
    }
    long againInMs = FAILURE_PAUSE_MS;
    try {
      if (!round.isEmpty()) {
        againInMs = deliver(round, claim.apply(List.copyOf(round.values())));
        lastFailure = null;
      }
    } catch (Throwable e) { // even after an Error, later rounds must run
      fail(round, e);
    } finally {
      end(againInMs);
    }
  }

  private void end(long againInMs) {
    boolean runAgain;
    boolean coversAll;
    synchronized (this) {
      runAgain = anotherRequested;
      running = runAgain;
      coversAll = runAgain && forAll;
    }
    if (runAgain) {
      runInPool();
    }
    if (!coversAll) { // the next round may not learn what is due for the parked holds
      dueIn(againInMs);
    }
  }

  /** Answers the holds of a round, or parks them. Returns the delay in ms until the next round. */
  private long deliver(Map<Waiting, ClaimRequest> round, ClaimResult<Task> result) {
    List<Task> undelivered = new ArrayList<>();
    boolean anyTasks = false;
    boolean allComplete = true;
    int i = 0;
    for (Waiting waiting : round.keySet()) {
      List<Task> tasks = result.rows().get(i);
      boolean isComplete = result.complete().get(i++);
      if (tasks.isEmpty()) {
        onNoTasks(waiting, round.get(waiting), isComplete);
        allComplete &= isComplete;
      } else {
        anyTasks = true;
        undelivered.addAll(answer(waiting, tasks) ? List.of() : tasks);
      }
    }
    release(undelivered);
    pauseMs = allComplete || anyTasks ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    return allComplete ? result.againInMs() : pauseMs;
  }

  /**
   * Parks a hold that got no tasks, whatever the others got, so that its time-out runs; or answers
   * it if it does not wait. A delivery that arrived since has the next round.
   */
  private void onNoTasks(Waiting waiting, ClaimRequest request, boolean isComplete) {
    synchronized (this) {
      if (waiting.hold != request.hold()) {
        return;
      }
      waiting.checked |= isComplete;
    }
    if (isComplete && !request.hold().waits()) {
      answer(waiting, List.of());
    } else {
      park(waiting);
    }
  }

  /** Parks a hold until its wait time, counted from its arrival, is over. */
  private synchronized void park(Waiting waiting) {
    if (waiting.parked || line.get(waiting.key) != waiting) {
      return;
    }
    waiting.parked = true;
    waiting.timeout =
        threads.after(
            waiting.hold.waits()
                ? waiting.hold.waitTime().toMillis() - ageMs(waiting)
                : INCOMPLETE_WAIT_MS,
            () -> timeOut(waiting));
  }

  private long ageMs(Waiting waiting) {
    return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - waiting.arrivedAt);
  }

  /** A kept hold is timed out when it is freed: it may be about to get tasks. */
  private void timeOut(Waiting waiting) {
    synchronized (this) {
      if (waiting.kept) {
        return;
      }
    }
    answer(waiting, List.of());
  }

  /** Answers the deliveries of a hold. Returns false if none of them has received the tasks. */
  private boolean answer(Waiting waiting, List<Task> tasks) {
    List<CompletableFuture<List<Task>>> answers;
    synchronized (this) { // so that a later delivery is either among these or has the next round
      remove(waiting);
      answers = List.copyOf(waiting.answers);
      if (!tasks.isEmpty()
          && waiting.hold.isRepeatable()
          && answered.add(waiting.key)
          && answered.size() > REMEMBERED) {
        answered.remove(answered.iterator().next());
      }
    }
    boolean isReceived = false;
    for (CompletableFuture<List<Task>> answer : answers) {
      isReceived |= answer.complete(tasks) || !tasks.isEmpty() && isAnsweredWith(tasks, answer);
    }
    return isReceived;
  }

  /** Whether another claim has found the same tasks; the tasks of a hold share its trace id. */
  private static boolean isAnsweredWith(List<Task> tasks, CompletableFuture<List<Task>> answer) {
    return !answer.isCompletedExceptionally()
        && answer.join().stream()
            .map(Task::traceId)
            .anyMatch(trace -> trace.equals(tasks.get(0).traceId()));
  }

  /**
   * Releases undelivered tasks. It comes last, so that it delays no hold, and its failure affects
   * none.
   */
  private void release(List<Task> undelivered) {
    try {
      if (!undelivered.isEmpty()) {
        release.accept(undelivered);
      }
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
  private void fail(Map<Waiting, ClaimRequest> round, Throwable e) {
    List<CompletableFuture<List<Task>>> failed = new ArrayList<>();
    synchronized (this) {
      round.forEach(
          (waiting, request) -> {
            waiting.checked = false;
            if (waiting.needsClaim() && waiting.hold == request.hold()) {
              failed.addAll(waiting.answers);
            }
          });
    }
    failed.forEach(answer -> answer.completeExceptionally(e));
    String failure = e.toString();
    if (!failure.equals(lastFailure)) {
      log.info("a claim for holds failed; the next one follows in about a second: {}", failure);
      lastFailure = failure;
    }
  }
}
