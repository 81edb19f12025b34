package io.asyncflow.worker.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What can be asked for just now: only stages with a handler and, where they take a slot, as many
 * tasks as the free places suffice for, so that no worker hoards what another has a slot for; never
 * more than threads can start soon.
 */
final class Asks {

  /** Stages that one limit suits: each run of them takes so many places. */
  private record Kind(int places, List<String> stages) {}

  private final String taskType;

  /** The most demanding first: what is left is enough for the others sooner. */
  private final List<Kind> kinds;

  private final RunPool pool;
  private final SlotPool slots;
  private final HeldRuns held;
  private final int backlogThreshold;

  /**
   * @param backlogThreshold held tasks that do not run, from which on nothing is asked for
   */
  Asks(
      String taskType,
      Collection<RegisteredStage> stages,
      RunPool pool,
      SlotPool slots,
      HeldRuns held,
      int backlogThreshold) {
    this.taskType = taskType;
    this.kinds = kindsOf(stages);
    this.pool = pool;
    this.slots = slots;
    this.held = held;
    this.backlogThreshold = backlogThreshold;
  }

  private static List<Kind> kindsOf(Collection<RegisteredStage> stages) {
    Map<Integer, List<String>> byPlaces = new TreeMap<>(Comparator.reverseOrder());
    for (RegisteredStage stage : stages) {
      byPlaces.computeIfAbsent(stage.places(), p -> new ArrayList<>()).add(stage.stage());
    }
    List<Kind> kinds = new ArrayList<>();
    byPlaces.forEach((places, names) -> kinds.add(new Kind(places, List.copyOf(names))));
    return kinds;
  }

  /** Whether asking for anything pays. */
  boolean any(TypeLimits limits) {
    return pool.wantsMore() && !backlogged() && !all(limits).isNothing();
  }

  /** How many kinds of stages there are; {@link #of} takes their numbers, from 0. */
  int kinds() {
    return kinds.size();
  }

  /** For the stages of one kind. */
  Ask of(int kind, TypeLimits limits) {
    return of(kinds.get(kind), limits);
  }

  private Ask of(Kind kind, TypeLimits limits) {
    int room = Math.min(pool.room(), limits.scheduleLimit());
    if (kind.places() == 0) {
      return Ask.of(kind.stages(), room);
    }
    int waiting = (pool.queuedForPlaces() + kind.places() - 1) / kind.places();
    return Ask.of(kind.stages(), Math.min(slots.fits(kind.places()) - waiting, room));
  }

  /**
   * For all of them in one hold. One limit for all kinds: the lowest of those that take a slot, if
   * any could start; it is meant for a hold that parks because nothing is due.
   */
  Ask all(TypeLimits limits) {
    List<String> stages = new ArrayList<>();
    int limit = 0;
    boolean slotted = false;
    for (Kind kind : kinds) {
      Ask ask = of(kind, limits);
      stages.addAll(ask.stages());
      if (!ask.isNothing() && (kind.places() > 0 || !slotted)) {
        limit = slotted ? Math.min(limit, ask.limit()) : ask.limit();
        slotted |= kind.places() > 0;
      }
    }
    return Ask.of(List.copyOf(stages), limit);
  }

  /** Whether a slot that becomes free would make {@link #all} ask for more stages. */
  boolean waitsForSlots(TypeLimits limits) {
    return kinds.stream().anyMatch(kind -> kind.places() > 0 && of(kind, limits).isNothing());
  }

  /** For everything there is a handler for, whatever is free: to see what a lost answer named. */
  Ask one() {
    return Ask.of(kinds.stream().flatMap(kind -> kind.stages().stream()).toList(), 1);
  }

  private boolean backlogged() {
    return held.count(taskType) - pool.working() >= backlogThreshold;
  }
}
