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
 * The runs that wait for a thread, in order. It counts them as they come and go, since the pool
 * asks after each run how much waits.
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

  /** How many handlers' calls it is; with batches that can change by itself. */
  int starts() {
    return sumOfStarts(stage -> 1);
  }

  /** Those of them that want no slot. */
  int startsWithoutSlot() {
    return sumOfStarts(stage -> stage.places() == 0 ? 1 : 0);
  }

  /** How many it would be with one run more. */
  int startsWith(Run another) {
    int before = tasks.getOrDefault(another.stage(), 0);
    return starts() + another.stage().runsOf(before + 1) - another.stage().runsOf(before);
  }

  /** The places on devices that they wait for. */
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

  /** The models of those runs that have one, once a run. */
  List<String> models() {
    List<String> models = new ArrayList<>();
    tasks.forEach((stage, count) -> models.addAll(nCopies(stage.runsOf(count), stage.model())));
    models.removeIf(String::isEmpty);
    return models;
  }

  /** A run can end while it waits: cancelled, lost, or given back. */
  void forgetEnded() {
    for (Iterator<Run> all = iterator(); all.hasNext(); ) {
      if (all.next().state() != RunState.QUEUED) {
        all.remove();
      }
    }
  }

  /** In order; what it removes is counted no more. */
  Iterator<Run> iterator() {
    Iterator<Run> all = runs.iterator();
    return new Iterator<>() {
      private Run last;

      @Override
      public boolean hasNext() {
        return all.hasNext();
      }

      @Override
      public Run next() {
        last = all.next();
        return last;
      }

      @Override
      public void remove() {
        all.remove();
        count(last, -1);
      }
    };
  }

  /** Takes all of them out. */
  List<Run> drain() {
    List<Run> all = new ArrayList<>(runs);
    runs.clear();
    tasks.clear();
    possiblePoisons = 0;
    return all;
  }
}
