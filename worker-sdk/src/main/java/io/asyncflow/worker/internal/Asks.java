package io.asyncflow.worker.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What can be asked for just now: only stages with a handler and, where they take a slot, as many
 * tasks as the free places suffice for, so that no worker hoards what another has a slot for; never
 * more than threads can start soon.
 */
final class Asks {

  /** Stages that one limit suits: the runs of all of them take the same. */
  private record Kind(RegisteredStage like, List<String> stages) {

    int places() {
      return like.places();
    }
  }

  /**
   * @param batched the stage, if it has batches and so a limit of its own; empty otherwise
   */
  private record Demand(int places, String batched) {}

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
    Map<Demand, Kind> kinds = new LinkedHashMap<>();
    for (RegisteredStage stage : stages) {
      Demand demand = new Demand(stage.places(), stage.batches() == null ? "" : stage.stage());
      kinds
          .computeIfAbsent(demand, d -> new Kind(stage, new ArrayList<>()))
          .stages()
          .add(stage.stage());
    }
    return kinds.values().stream()
        .sorted(Comparator.comparingInt(Kind::places).reversed())
        .toList();
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
    int runs = pool.room();
    if (kind.places() > 0) {
      int waiting = (pool.queuedForPlaces() + kind.places() - 1) / kind.places();
      runs = Math.min(runs, slots.fits(kind.places()) - waiting);
    }
    return Ask.of(
        List.copyOf(kind.stages()),
        Math.min(runs * kind.like().tasksOfRun(), limits.scheduleLimit()));
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
