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
 * Turns what a hold answered into runs: queued, or given back at once.
 *
 * <p>A task that kills its worker kills its neighbours' runs, too. They become due together, are
 * held together again, and would in the end be quarantined together. So of a hold with {@linkplain
 * Run#isPossiblePoison possible poison} the one that was delivered in vain most often is run with
 * nothing new beside it, and all else of that hold is given back, which clears it: whoever was only
 * a neighbour is done elsewhere, and what is left with the culprit is the culprit.
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

  /** Takes what can be run and gives back the rest; says how many it took. */
  int take(HoldCall.Answer answer, TypeLimits limits) {
    List<Task> tasks = answer.tasks();
    Optional<Task> possiblePoison = likeliestPoison(tasks);
    if (possiblePoison.isPresent()) {
      // Before it is taken: it starts when these are known to be nobody's.
      tasks.stream()
          .filter(task -> task != possiblePoison.get())
          .forEach(task -> giveBack(task, answer.leaseOf(task, limits), "another one runs alone"));
      tasks = List.of(possiblePoison.get());
    }
    List<Run> runs = new ArrayList<>();
    for (Task task : tasks) {
      try {
        accept(task, answer.leaseOf(task, limits)).ifPresent(runs::add);
      } catch (RuntimeException e) {
        log.error("{} cannot be taken; its lease is left to run out", task, e);
      }
    }
    // All at once, or the first would start before the others of its batch are there.
    List<Run> refused = pool.offer(runs);
    refused.forEach(run -> ends.release(run, "there is no room for it"));
    return runs.size() - refused.size();
  }

  /** Among equals the first in due order. */
  private static Optional<Task> likeliestPoison(List<Task> tasks) {
    return tasks.stream()
        .filter(Run::isPossiblePoison)
        .reduce((one, next) -> next.deliveryCount() > one.deliveryCount() ? next : one);
  }

  /** Gives all of it back: nobody here will run it. */
  void giveBack(HoldCall.Answer answer, TypeLimits limits, String why) {
    answer.tasks().forEach(task -> giveBack(task, answer.leaseOf(task, limits), why));
  }

  private void giveBack(Task task, Lease lease, String why) {
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
