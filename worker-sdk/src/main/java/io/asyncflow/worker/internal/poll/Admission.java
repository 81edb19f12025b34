package io.asyncflow.worker.internal.poll;

import io.asyncflow.api.Task;
import io.asyncflow.worker.internal.execute.RunPool;
import io.asyncflow.worker.internal.loop.TransitionTable.Listener;
import io.asyncflow.worker.internal.report.RunEnds;
import io.asyncflow.worker.internal.run.HeldRuns;
import io.asyncflow.worker.internal.run.Lease;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.run.RunState;
import io.asyncflow.worker.internal.run.TypeLimits;
import io.asyncflow.worker.internal.stage.RegisteredStage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the tasks of a hold's answer into runs, and queues or releases them.
 *
 * <p>A task that kills its worker also ends the runs beside it. These tasks become due together,
 * are held together again, and would finally be failed as poison together. So of a hold with
 * {@linkplain Run#isPossiblePoison possible poison}, the task with the most deliveries without a
 * report runs without new tasks beside it, once the release of all others is acknowledged. A
 * release before the start keeps the count of deliveries, so each suspect runs alone, here or
 * elsewhere, until one run has cleared it; the poison is the task that never reports.
 */
public final class Admission {

  private static final Logger log = LoggerFactory.getLogger(Admission.class);

  private final Map<String, RegisteredStage> stages;
  private final RunPool pool;
  private final HeldRuns held;
  private final RunEnds ends;
  private final Listener<RunState, RunState.Event> listener;

  public Admission(
      Map<String, RegisteredStage> stages,
      RunPool pool,
      HeldRuns held,
      RunEnds ends,
      Listener<RunState, RunState.Event> listener) {
    this.stages = stages;
    this.pool = pool;
    this.held = held;
    this.ends = ends;
    this.listener = listener;
  }

  /** Queues tasks that can run and releases the others; returns the number of queued ones. */
  int take(HoldCall.Answer answer, TypeLimits limits) {
    List<Task> tasks = answer.tasks();
    Optional<Task> possiblePoison = likeliestPoison(tasks);
    if (possiblePoison.isPresent()) {
      // Before the poison is queued: it starts when the releases of these are delivered.
      tasks.stream()
          .filter(task -> task != possiblePoison.get())
          .forEach(task -> release(task, answer.leaseOf(task, limits), "another one runs alone"));
      tasks = List.of(possiblePoison.get());
    }
    List<Run> runs = new ArrayList<>();
    for (Task task : tasks) {
      try {
        accept(task, answer.leaseOf(task, limits)).ifPresent(runs::add);
      } catch (RuntimeException e) {
        log.error("{} cannot be accepted; its lease is left to run out", task, e);
      }
    }
    // All at once, or the first would start before the rest of its batch has arrived.
    List<Run> refused = pool.offer(runs);
    refused.forEach(run -> ends.release(run, "there is no room for it"));
    return runs.size() - refused.size();
  }

  /** The task with the most deliveries; among equals the first in due order. */
  private static Optional<Task> likeliestPoison(List<Task> tasks) {
    return tasks.stream()
        .filter(Run::isPossiblePoison)
        .reduce((one, next) -> next.deliveryCount() > one.deliveryCount() ? next : one);
  }

  /** Releases all tasks of the answer, because this worker will not run them. */
  void release(HoldCall.Answer answer, TypeLimits limits, String why) {
    answer.tasks().forEach(task -> release(task, answer.leaseOf(task, limits), why));
  }

  private void release(Task task, Lease lease, String why) {
    Run run = new Run(task, stages.get(task.taskStage()), lease, listener);
    if (held.add(run)) {
      ends.release(run, why);
    }
  }

  private Optional<Run> accept(Task task, Lease lease) {
    RegisteredStage stage = stages.get(task.taskStage());
    Run run = new Run(task, stage, lease, listener);
    if (!held.add(run)) {
      return Optional.empty();
    }
    if (stage == null) {
      ends.release(run, "this worker has no handler for its stage");
      return Optional.empty();
    }
    if (run.isPossiblePoison()) {
      log.info("{} was lost {} times in a row: it runs alone", run, task.deliveryCount());
    }
    return Optional.of(run);
  }
}
