package io.asyncflow.worker.internal.execute;

import static java.util.Collections.nCopies;

import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.run.RunState;
import io.asyncflow.worker.internal.stage.RegisteredStage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * The queued runs of a pool, in order. It maintains counts, because the pool reads them after each
 * run.
 *
 * <p>Not thread-safe: the pool guards it.
 */
final class RunQueue {

  private final Deque<Run> runs = new ArrayDeque<>();
  private final Map<RegisteredStage, Integer> tasks = new HashMap<>();
  private int possiblePoisons;

  void add(Run run) {
    runs.addLast(run);
    count(run, 1);
  }

  private void count(Run run, int change) {
    tasks.merge(run.stage(), change, (one, other) -> one + other == 0 ? null : one + other);
    if (run.isPossiblePoison()) {
      possiblePoisons += change;
    }
  }

  int size() {
    return runs.size();
  }

  boolean isEmpty() {
    return runs.isEmpty();
  }

  boolean hasPossiblePoison() {
    return possiblePoisons > 0;
  }

  /** The number of handler calls for all queued runs; changes with the batch size. */
  int starts() {
    return sumOfStarts(stage -> 1);
  }

  /** The number of those calls that need no slot. */
  int startsWithoutSlot() {
    return sumOfStarts(stage -> stage.places() == 0 ? 1 : 0);
  }

  /** The number of handler calls with one more run. */
  int startsWith(Run added) {
    int before = tasks.getOrDefault(added.stage(), 0);
    return starts() + added.stage().runsOf(before + 1) - added.stage().runsOf(before);
  }

  /** The number of places on devices for which queued runs wait. */
  int places() {
    return sumOfStarts(RegisteredStage::places);
  }

  private int sumOfStarts(ToIntFunction<RegisteredStage> weight) {
    int sum = 0;
    for (Map.Entry<RegisteredStage, Integer> waiting : tasks.entrySet()) {
      RegisteredStage stage = waiting.getKey();
      sum += weight.applyAsInt(stage) * stage.runsOf(waiting.getValue());
    }
    return sum;
  }

  /** The models of the queued runs that have one, one entry for each run. */
  List<String> models() {
    List<String> models = new ArrayList<>();
    tasks.forEach((stage, count) -> models.addAll(nCopies(stage.runsOf(count), stage.model())));
    models.removeIf(String::isEmpty);
    return models;
  }

  /** Removes runs that ended in the queue: cancelled, lost or released. */
  void forgetEnded() {
    for (Iterator<Run> iterator = iterator(); iterator.hasNext(); ) {
      if (iterator.next().state() != RunState.QUEUED) {
        iterator.remove();
      }
    }
  }

  /** Iterates in order; removal updates the counts. */
  Iterator<Run> iterator() {
    Iterator<Run> iterator = runs.iterator();
    return new Iterator<>() {
      private Run last;

      @Override
      public boolean hasNext() {
        return iterator.hasNext();
      }

      @Override
      public Run next() {
        last = iterator.next();
        return last;
      }

      @Override
      public void remove() {
        iterator.remove();
        count(last, -1);
      }
    };
  }

  /** Removes and returns all runs. */
  List<Run> drain() {
    List<Run> drained = new ArrayList<>(runs);
    runs.clear();
    tasks.clear();
    possiblePoisons = 0;
    return drained;
  }
}
