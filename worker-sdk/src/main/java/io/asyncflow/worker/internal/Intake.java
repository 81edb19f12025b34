package io.asyncflow.worker.internal;

import io.asyncflow.api.Task;
import io.asyncflow.worker.internal.TransitionTable.Listener;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns what a hold answered into runs: queued, or given back at once. */
final class Intake {

  private static final Logger log = LoggerFactory.getLogger(Intake.class);

  private final Map<String, RegisteredStage> stages;
  private final RunPool pool;
  private final HeldRuns held;
  private final RunEnds ends;
  private final Listener<RunState, RunState.Event> listener;

  Intake(
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

  /** Takes what can be run and gives back the rest; says how many it took. */
  int take(HoldCall.Answer answer, TypeLimits limits) {
    int taken = 0;
    for (Task task : answer.tasks()) {
      try {
        if (take(task, answer.leaseOf(task, limits))) {
          taken++;
        }
      } catch (RuntimeException e) {
        log.error("{} cannot be taken; its lease is left to run out", task, e);
      }
    }
    return taken;
  }

  /** Gives all of it back: nobody here will run it. */
  void giveBack(HoldCall.Answer answer, TypeLimits limits, String why) {
    for (Task task : answer.tasks()) {
      Lease lease = answer.leaseOf(task, limits);
      Run run = new Run(task, stages.get(task.taskStage()), lease, listener);
      if (held.add(run)) {
        ends.release(run, why);
      }
    }
  }

  private boolean take(Task task, Lease lease) {
    RegisteredStage stage = stages.get(task.taskStage());
    Run run = new Run(task, stage, lease, listener);
    if (!held.add(run)) {
      return false;
    }
    if (stage == null) {
      ends.release(run, "this worker has no handler for its stage");
      return false;
    }
    if (!pool.offer(run)) {
      ends.release(run, "the queue is full");
      return false;
    }
    return true;
  }
}
