package io.asyncflow.flowsvr.hold;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.claim.Hold;
import io.asyncflow.flowsvr.claim.TaskClaimer;
import io.asyncflow.flowsvr.due.DueLook;
import io.asyncflow.flowsvr.due.HoldDemand;
import io.asyncflow.flowsvr.report.TaskReporter;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktype.NoSuchTaskTypeException;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;

/**
 * Gives holds their tasks: at once where something is due, later where the caller waits.
 *
 * <p>All holds of a type that name their stages stand in a {@link WaitingLine} and are served
 * together, and those that name none in another: to find the stages takes long where there are
 * many, and nobody who knows his waits for that. A hold that waits takes no thread, connection or
 * transaction meanwhile. Three things make a line ask the database again: news of waiting tasks,
 * from this server or another; the time at which the next known task is due; and what the scan of
 * all that is waited for has found.
 *
 * <p>Thread-safe.
 */
@Service
public class TaskHolds implements HoldDemand, DisposableBean {

  private final TaskTypes types;
  private final TaskClaimer claimer;
  private final DueLook looks;
  private final TaskReporter reporter;
  private final OpenHolds open;
  private final HoldThreads threads;
  private final TaskMeters meters;
  private final Node node;
  private final Map<Kind, WaitingLine> lines = new ConcurrentHashMap<>();

  /** Which holds stand in line together. */
  private record Kind(TaskType type, boolean namesStages) {}

  TaskHolds(
      TaskTypes types,
      TaskClaimer claimer,
      DueLook looks,
      TaskReporter reporter,
      OpenHolds open,
      TaskMeters meters,
      Node node) {
    this.types = types;
    this.claimer = claimer;
    this.looks = looks;
    this.reporter = reporter;
    this.open = open;
    this.threads = new HoldThreads();
    this.meters = meters;
    this.node = node;
    meters.show("holds.parked", "holds that wait for work", this::parked);
  }

  /**
   * Holds due tasks, in due order and as they are after the hold; empty when nothing became due in
   * time. A caller that is gone cancels the future: it is then given nothing. So it is when the
   * worker is sent away, or the server stops.
   *
   * @throws NoSuchTaskTypeException if the type is not configured
   */
  public CompletableFuture<List<Task>> hold(Hold hold) {
    long called = node.nanoTime();
    // One that waits costs no statement where the type is known; its line looks soon enough.
    if (hold.waitTime().isZero() || types.known(hold.type()).isEmpty()) {
      types.require(hold.type());
    }
    CompletableFuture<List<Task>> tasks = lineOf(hold).join(hold);
    throwIfFailed(tasks);
    open.add(hold, tasks);
    tasks.whenComplete(
        (held, failure) -> {
          if (failure == null && !held.isEmpty()) {
            Duration waited = Duration.ofNanos(node.nanoTime() - called);
            meters.held(hold.type().name(), held.size(), waited);
          }
        });
    return tasks;
  }

  /** The caller never heard of what it was given, if that was anything. */
  void giveBack(CompletableFuture<List<Task>> unheard) {
    if (unheard.isDone() && !unheard.isCompletedExceptionally() && !unheard.join().isEmpty()) {
      giveBack(unheard.join());
    }
  }

  /** What failed in the caller's own thread is thrown there. */
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

  /** Tasks of this type are waiting that were not before. */
  @EventListener
  void on(TasksWaiting news) {
    looks.on(news); // before the line asks them
    tell(lines.get(new Kind(news.type(), true)));
    tell(lines.get(new Kind(news.type(), false)));
  }

  @Override
  public Map<TaskType, Wanted> wanted() {
    Map<TaskType, Wanted> wanted = new HashMap<>();
    lines.forEach(
        (kind, line) -> {
          if (line.size() > 0) {
            Wanted more = new Wanted(line.stages(), !kind.namesStages());
            wanted.merge(kind.type(), more, TaskHolds::both);
          }
        });
    return wanted;
  }

  private static Wanted both(Wanted one, Wanted other) {
    return new Wanted(
        one.anyStage() ? other.stages() : one.stages(), one.anyStage() || other.anyStage());
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

  private static void tell(WaitingLine line) {
    if (line != null) {
      line.news();
    }
  }

  /** How many holds are parked at the moment. */
  public int parked() {
    return lines.values().stream().mapToInt(WaitingLine::size).sum();
  }

  private WaitingLine lineOf(Hold first) {
    TaskType type = first.type();
    return lines.computeIfAbsent(
        new Kind(type, !first.stages().isEmpty()),
        kind ->
            new WaitingLine(
                line -> claim(type, line),
                hold -> looks.quietForMs(type, hold.stages()),
                this::giveBack,
                threads,
                node::nanoTime));
  }

  private WaitingLine.Served claim(TaskType type, List<TaskClaimer.ClaimRequest> line) {
    // Before the claim: what it has taken must not be lost because the types are read anew.
    TaskTypeConfig config = types.known(type).orElseThrow(() -> new NoSuchTaskTypeException(type));
    TaskClaimer.ClaimResult claim = claimer.claim(type, line);
    return new WaitingLine.Served(
        claim.rows().stream().map(rows -> toTasks(rows, config)).toList(),
        claim.againInMs(),
        claim.complete());
  }

  /** The caller was gone when its tasks were taken: they are nobody's, so they go back. */
  private void giveBack(List<Task> undelivered) {
    reporter.release(undelivered);
  }

  private static List<Task> toTasks(List<TaskRow> rows, TaskTypeConfig type) {
    return rows.stream().map(row -> row.toTask(type)).toList();
  }

  @Override
  public void destroy() {
    lines.values().forEach(WaitingLine::close);
    threads.close();
  }
}
