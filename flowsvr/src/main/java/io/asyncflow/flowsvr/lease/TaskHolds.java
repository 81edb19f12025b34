package io.asyncflow.flowsvr.lease;

import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.task.TaskRow;
import io.asyncflow.flowsvr.task.TasksWaiting;
import io.asyncflow.flowsvr.tasktype.TaskType;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;

/**
 * Gives holds their tasks: at once where something is due, later where the caller waits.
 *
 * <p>A hold that waits is parked in the {@link WaitingLine} of its type and takes no thread,
 * connection or transaction meanwhile. Three things make a line ask the database again: news of
 * waiting tasks, from this server or another; the time at which the next known task is due; and a
 * fallback poll, which relies on nothing.
 *
 * <p>Thread-safe.
 */
@Service
public class TaskHolds implements DisposableBean {

  private final TaskTypes types;
  private final TaskClaimer claimer;
  private final TaskReporter reporter;
  private final HoldThreads threads;
  private final TaskMeters meters;
  private final Node node;
  private final Map<TaskType, WaitingLine> lines = new ConcurrentHashMap<>();

  TaskHolds(
      TaskTypes types, TaskClaimer claimer, TaskReporter reporter, TaskMeters meters, Node node) {
    this.types = types;
    this.claimer = claimer;
    this.reporter = reporter;
    this.threads = new HoldThreads();
    this.meters = meters;
    this.node = node;
    meters.show("holds.parked", "holds that wait for work", this::parked);
  }

  /**
   * Holds due tasks, in due order and as they are after the hold; empty when nothing became due in
   * time. A caller that is gone cancels the future: it is then given nothing.
   *
   * @throws io.asyncflow.flowsvr.tasktype.NoSuchTaskTypeException if the type is not configured
   */
  public CompletableFuture<List<Task>> hold(Hold hold) {
    long called = node.nanoTime();
    CompletableFuture<List<Task>> tasks = holdOrPark(hold);
    tasks.whenComplete(
        (held, failure) -> {
          if (failure == null && !held.isEmpty()) {
            Duration waited = Duration.ofNanos(node.nanoTime() - called);
            meters.held(hold.type().name(), held.size(), waited);
          }
        });
    return tasks;
  }

  private CompletableFuture<List<Task>> holdOrPark(Hold hold) {
    TaskTypeConfig type = types.require(hold.type());
    WaitingLine line = lineOf(hold.type());
    List<TaskRow> before = claimer.heldBefore(hold);
    if (!before.isEmpty()) {
      line.supersede(hold, true);
      return CompletableFuture.completedFuture(toTasks(before, type));
    }
    // News that arrives between this look and the parking is seen by the line: it counts the news.
    long newsSeen = line.newsCount();
    TaskClaimer.Claim claim = claimer.claim(hold, type);
    if (!claim.isEmpty() || hold.waitTime().isZero()) {
      line.supersede(hold, !claim.isEmpty());
      return CompletableFuture.completedFuture(toTasks(claim.rows(), type));
    }
    CompletableFuture<List<Task>> parked = line.park(hold, newsSeen, claim.nextDueInMs());
    answerIfHeldSince(hold, type, parked);
    return parked;
  }

  /** An earlier delivery may have been served between the first look and the parking. */
  private void answerIfHeldSince(
      Hold hold, TaskTypeConfig type, CompletableFuture<List<Task>> parked) {
    try {
      List<TaskRow> since = claimer.heldBefore(hold);
      if (!since.isEmpty()) {
        parked.complete(toTasks(since, type));
      }
    } catch (RuntimeException e) {
      parked.cancel(false); // its caller gets the error, so nothing may be given to it
      throw e;
    }
  }

  /** Tasks of this type are waiting that were not before. */
  @EventListener
  void on(TasksWaiting news) {
    WaitingLine line = lines.get(news.type());
    if (line != null) {
      line.news();
    }
  }

  /** How many holds are parked at the moment. */
  public int parked() {
    return lines.values().stream().mapToInt(WaitingLine::size).sum();
  }

  private WaitingLine lineOf(TaskType type) {
    return lines.computeIfAbsent(type, t -> new WaitingLine(this::claim, this::giveBack, threads));
  }

  private WaitingLine.Served claim(Hold hold) {
    TaskTypeConfig type = types.require(hold.type());
    TaskClaimer.Claim claim = claimer.claim(hold, type);
    return new WaitingLine.Served(toTasks(claim.rows(), type), claim.nextDueInMs());
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
