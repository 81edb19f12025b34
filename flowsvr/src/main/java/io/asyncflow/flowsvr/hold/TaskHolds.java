package io.asyncflow.flowsvr.hold;

import static java.util.Collections.nCopies;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.claim.Hold;
import io.asyncflow.flowsvr.claim.TaskClaimer;
import io.asyncflow.flowsvr.claim.TaskClaimer.ClaimRequest;
import io.asyncflow.flowsvr.claim.TaskClaimer.ClaimResult;
import io.asyncflow.flowsvr.due.DueLook;
import io.asyncflow.flowsvr.due.HoldDemand;
import io.asyncflow.flowsvr.pause.Paused;
import io.asyncflow.flowsvr.pause.PausesChanged;
import io.asyncflow.flowsvr.pause.PausesInForce;
import io.asyncflow.flowsvr.report.TaskReporter;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktype.NoSuchTaskTypeException;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.flowsvr.web.read.InvalidFieldException;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;

/**
 * Gives holds their tasks: at once if tasks are due, otherwise when tasks become due, if the caller
 * waits.
 *
 * <p>All holds of a type that name stages share one {@link WaitingLine}, and those that name none
 * share another: finding the stages of a type takes long if there are many, and a hold that names
 * its stages need not wait for that. A parked hold occupies no thread, connection or transaction. A
 * line claims again after news of waiting tasks, from this server or another; when the next known
 * task is due; and when the scan has found a task.
 *
 * <p>Thread-safe.
 */
@Service
public class TaskHolds implements HoldDemand, DisposableBean {

  /** For so long, a client that has asked for tasks is believed to ask again. */
  private static final Duration UNNAMED_FOR = Duration.ofMinutes(2);

  /** When a line asks again in which a hold was left out: it may get tasks by then. */
  private static final long LEFT_OUT_MS = 1_000;

  private final TaskTypes types;
  private final TaskClaimer claimer;
  private final DueLook dueLook;
  private final TaskReporter reporter;
  private final OpenHolds open;
  private final HoldThreads threads;
  private final PausesInForce pauses;
  private final TaskMeters meters;
  private final Node node;
  private final Map<Kind, WaitingLine> lines = new ConcurrentHashMap<>();

  /** {@link System#nanoTime()} of the last hold without a worker id, by type. */
  private final Map<TaskType, Long> unnamed = new ConcurrentHashMap<>();

  /** The key of a line. */
  private record Kind(TaskType type, boolean namesStages) {}

  TaskHolds(
      TaskTypes types,
      TaskClaimer claimer,
      DueLook dueLook,
      TaskReporter reporter,
      OpenHolds open,
      PausesInForce pauses,
      TaskMeters meters,
      Node node) {
    this.types = types;
    this.claimer = claimer;
    this.dueLook = dueLook;
    this.reporter = reporter;
    this.open = open;
    this.threads = new HoldThreads();
    this.pauses = pauses;
    this.meters = meters;
    this.node = node;
    meters.show("holds.parked", "holds that wait for work", this::parked);
  }

  /**
   * Holds due tasks. The result has the tasks after the hold, in due order; it is empty if nothing
   * became due in time. The future is cancelled when its caller is gone, when the worker is to
   * drain, or when the server stops; then no tasks are given.
   *
   * @throws NoSuchTaskTypeException if the type is not configured
   * @throws InvalidFieldException if {@linkplain #refuseIfUnheard the worker has to be named}
   */
  public CompletableFuture<List<Task>> hold(Hold hold) {
    long begin = node.nanoTime();
    // A hold that waits costs no statement if the type is known; its line checks the type in time.
    Optional<TaskTypeConfig> known =
        hold.waitTime().isZero() ? Optional.empty() : types.known(hold.type());
    refuseIfUnheard(hold, known.orElseGet(() -> types.require(hold.type())));
    if (hold.workerId().isEmpty()) {
      unnamed.put(hold.type(), begin);
    }
    CompletableFuture<List<Task>> tasks = lineOf(hold).join(hold);
    throwIfFailed(tasks);
    open.add(hold, tasks);
    tasks.whenComplete(
        (held, failure) -> {
          if (failure == null && !held.isEmpty()) {
            Duration waited = Duration.ofNanos(node.nanoTime() - begin);
            meters.held(hold.type().name(), waited);
          }
        });
    return tasks;
  }

  /** Whether a client without a worker id has asked this server for tasks of the type lately. */
  public boolean hasUnnamedPollers(TaskType type) {
    Long last = unnamed.get(type);
    return last != null && node.nanoTime() - last < UNNAMED_FOR.toNanos();
  }

  /** Whether the hold's worker is paused, as far as is known; reads nothing. */
  boolean isPaused(Hold hold) {
    return pauses.lastKnown().hasWorker(hold.workerId());
  }

  /** Something was paused or resumed. */
  @EventListener
  void onPauses(PausesChanged news) {
    lines.values().forEach(WaitingLine::news);
  }

  /** Without heartbeats, a task of a resident type would stay with a dead holder for years. */
  static void refuseIfUnheard(Hold hold, TaskTypeConfig type) {
    if (hold.workerId().isEmpty() && type.isResident()) {
      throw new InvalidFieldException(
          "workerId",
          "is required for type "
              + hold.type().name()
              + ", whose max_processing_time is more than 30 days");
    }
  }

  /** Releases the tasks of an answer that could not be delivered, if there are any. */
  void release(CompletableFuture<List<Task>> undelivered) {
    if (undelivered.isDone()
        && !undelivered.isCompletedExceptionally()
        && !undelivered.join().isEmpty()) {
      release(undelivered.join());
    }
  }

  /** Throws the failure of a claim that was made in the caller's own thread. */
  private static void throwIfFailed(CompletableFuture<List<Task>> tasks) {
    if (tasks.isCompletedExceptionally() && !tasks.isCancelled()) {
      try {
        tasks.join();
      } catch (CompletionException e) {
        if (e.getCause() instanceof RuntimeException failure) {
          throw failure;
        }
        throw e;
      }
    }
  }

  /** Tasks of this type may have become claimable: due now or later. */
  @EventListener
  void on(TasksWaiting news) {
    dueLook.on(news); // before the lines claim
    wake(lines.get(new Kind(news.type(), true)));
    wake(lines.get(new Kind(news.type(), false)));
  }

  @Override
  public Map<TaskType, Wanted> wanted() {
    Paused paused = pauses.lately();
    Map<TaskType, Wanted> wanted = new HashMap<>();
    lines.forEach(
        (kind, line) -> {
          if (line.size() > 0 && !paused.hasType(kind.type())) {
            Wanted ofLine =
                new Wanted(line.stages(), !kind.namesStages(), paused.stagesOf(kind.type()));
            wanted.merge(kind.type(), ofLine, TaskHolds::union);
          }
        });
    return wanted;
  }

  @Override
  public Set<String> workers(TaskType type) {
    Set<String> workers = new HashSet<>();
    for (boolean namesStages : new boolean[] {true, false}) {
      WaitingLine line = lines.get(new Kind(type, namesStages));
      if (line != null) {
        workers.addAll(line.workers());
      }
    }
    return workers;
  }

  private static Wanted union(Wanted first, Wanted second) {
    return new Wanted(
        first.anyStage() ? second.stages() : first.stages(),
        first.anyStage() || second.anyStage(),
        first.paused());
  }

  @Override
  public void dueIn(TaskType type, long inMs) {
    for (boolean namesStages : new boolean[] {true, false}) {
      WaitingLine line = lines.get(new Kind(type, namesStages));
      if (line != null) {
        line.dueIn(inMs);
      }
    }
  }

  private static void wake(WaitingLine line) {
    if (line != null) {
      line.news();
    }
  }

  /** The number of parked holds. */
  public int parked() {
    return lines.values().stream().mapToInt(WaitingLine::parked).sum();
  }

  private WaitingLine lineOf(Hold first) {
    TaskType type = first.type();
    return lines.computeIfAbsent(
        new Kind(type, !first.stages().isEmpty()),
        kind ->
            new WaitingLine(
                line -> claim(type, line),
                hold ->
                    dueLook.quietForMs(
                        type, hold.stages(), hold.workerId(), pauses.lately().stagesOf(type)),
                this::release,
                threads,
                node::nanoTime));
  }

  private WaitingLine.RoundResult claim(TaskType type, List<ClaimRequest> line) {
    // Before the claim: its tasks would be lost if reading the types failed after it.
    TaskTypeConfig config = types.known(type).orElseThrow(() -> new NoSuchTaskTypeException(type));
    Paused paused = pauses.lately();
    boolean areAllAdmitted = config.minWorkerVersion() == 0 && paused.workers().isEmpty();
    ClaimResult claim =
        areAllAdmitted
            ? claimer.claim(type, line, paused)
            : claimForAdmitted(
                line,
                hold -> !hold.isTooOldFor(config) && !paused.hasWorker(hold.workerId()),
                admitted -> claimer.claim(type, admitted, paused));
    return new WaitingLine.RoundResult(
        claim.rows().stream().map(ofHold -> toTasks(ofHold, config)).toList(),
        claim.againInMs(),
        claim.complete());
  }

  /** Leaves holds out of a claim; they get the tasks of a lost answer, and no new ones. */
  private ClaimResult claimForAdmitted(
      List<ClaimRequest> line,
      Predicate<Hold> isAdmitted,
      Function<List<ClaimRequest>, ClaimResult> claim) {
    List<ClaimRequest> admitted =
        line.stream().filter(request -> isAdmitted.test(request.hold())).toList();
    if (admitted.size() == line.size()) {
      return claim.apply(line);
    }
    List<List<TaskRow>> rows = new ArrayList<>();
    for (ClaimRequest request : line) { // before the claim, whose tasks a failure would lose
      rows.add(isAdmitted.test(request.hold()) ? List.of() : repeatedFor(request));
    }
    List<Boolean> complete = new ArrayList<>(nCopies(line.size(), true));
    long againInMs = LEFT_OUT_MS;
    if (!admitted.isEmpty()) {
      ClaimResult claimed = claim.apply(admitted);
      againInMs = Math.min(againInMs, claimed.againInMs());
      for (int i = 0, next = 0; i < line.size(); i++) {
        if (isAdmitted.test(line.get(i).hold())) {
          rows.set(i, claimed.rows().get(next));
          complete.set(i, claimed.complete().get(next++));
        }
      }
    }
    return new ClaimResult(rows, againInMs, complete);
  }

  private List<TaskRow> repeatedFor(ClaimRequest request) {
    return request.possibleRepeat() && request.hold().isRepeatable()
        ? claimer.heldByEarlierDelivery(request.hold())
        : List.of();
  }

  /** Releases tasks whose caller was gone when they were claimed. */
  private void release(List<Task> undelivered) {
    reporter.release(undelivered);
  }

  private List<Task> toTasks(List<TaskRow> rows, TaskTypeConfig type) {
    for (TaskRow row : rows) {
      if (row.fire() != null && row.leaseEpoch() == 1) {
        meters.started(row.id().type().name(), row.now() - row.fire().fireTime());
      }
    }
    return rows.stream().map(row -> row.toTask(type)).toList();
  }

  @Override
  public void destroy() {
    lines.values().forEach(WaitingLine::close);
    threads.close();
  }
}
