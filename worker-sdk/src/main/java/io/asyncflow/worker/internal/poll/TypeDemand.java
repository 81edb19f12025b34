package io.asyncflow.worker.internal.poll;

import io.asyncflow.worker.internal.execute.LoadedModel;
import io.asyncflow.worker.internal.execute.RunPool;
import io.asyncflow.worker.internal.execute.SlotPool;
import io.asyncflow.worker.internal.run.HeldRuns;
import io.asyncflow.worker.internal.run.TypeLimits;
import io.asyncflow.worker.internal.stage.RegisteredStage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What can be asked for just now: only stages with a handler and, where they take a slot, as many
 * tasks as the free places suffice for, so that no worker hoards what another has a slot for; never
 * more than threads can start soon.
 *
 * <p>Stages whose model is loaded on no free place are left to others for a while, unless there is
 * a free place with nothing on it. Then one run at a time is asked for: the next takes one of the
 * models' places, and the one after it shall not find it gone.
 */
public final class TypeDemand {

  /** Stages that one limit suits: the runs of all of them take the same. */
  private record Kind(RegisteredStage like, List<RegisteredStage> stages) {

    int places() {
      return like.places();
    }

    List<String> names() {
      return stages.stream().map(RegisteredStage::stage).toList();
    }

    boolean hasAny(Collection<String> models) {
      return stages.stream().anyMatch(stage -> models.contains(stage.model()));
    }

    /** Those with a model that is not among these. */
    List<String> namesWithout(Collection<String> models) {
      return stages.stream()
          .filter(stage -> !stage.model().isEmpty() && !models.contains(stage.model()))
          .map(RegisteredStage::stage)
          .toList();
    }
  }

  /**
   * What stages of one kind have in common.
   *
   * @param batched the stage, if it has batches and so a limit of its own; empty otherwise
   */
  private record KindKey(int places, String batched) {}

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
  public TypeDemand(
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
    Map<KindKey, Kind> kinds = new LinkedHashMap<>();
    for (RegisteredStage stage : stages) {
      KindKey key = new KindKey(stage.places(), stage.batches() == null ? "" : stage.stage());
      kinds.computeIfAbsent(key, k -> new Kind(stage, new ArrayList<>())).stages().add(stage);
    }
    return kinds.values().stream()
        .sorted(Comparator.comparingInt(Kind::places).reversed())
        .toList();
  }

  /** Whether asking for anything pays. */
  boolean any(TypeLimits limits) {
    return pool.wantsMore() && !backlogged() && !all(limits).isEmpty();
  }

  /** How many kinds of stages there are; {@link #of} takes their numbers, from 0. */
  int kinds() {
    return kinds.size();
  }

  /** Their numbers, those first of which a model is loaded where a run can go. */
  List<Integer> loadedFirst() {
    List<String> loaded = modelsOfFreePlaces();
    return IntStream.range(0, kinds.size())
        .boxed()
        .sorted(Comparator.comparing(kind -> kinds.get(kind).hasAny(loaded) ? 0 : 1))
        .toList();
  }

  /** For the stages of one kind. */
  HoldScope of(int kind, TypeLimits limits) {
    return of(kinds.get(kind), limits);
  }

  /** For those of one kind alone that {@link #of} leaves to others for a while. */
  HoldScope othersOf(int kind, TypeLimits limits) {
    HoldScope scope = of(kind, limits);
    return HoldScope.of(scope.deferred(), scope.limit(), scope.deferred());
  }

  /** Whether what is loaded was asked for first for long enough. */
  boolean isTurnOfOthers() {
    return slots.isTurnOver();
  }

  /** There was nothing for them. */
  void endTurnOfOthers() {
    slots.beginNextTurn();
  }

  private HoldScope of(Kind kind, TypeLimits limits) {
    int runs = pool.room();
    List<String> deferred = deferredOf(kind);
    if (kind.places() > 0) {
      int waiting = (pool.queuedForPlaces() + kind.places() - 1) / kind.places();
      runs = Math.min(runs, slots.fits(kind.places()) - waiting);
    }
    if (!deferred.isEmpty()) {
      runs = Math.min(runs, 1);
    }
    return HoldScope.of(
        kind.names(), Math.min(runs * kind.like().tasksOfRun(), limits.scheduleLimit()), deferred);
  }

  private List<String> deferredOf(Kind kind) {
    List<String> loaded = modelsOfFreePlaces();
    return loaded.contains(LoadedModel.NONE) ? List.of() : kind.namesWithout(loaded);
  }

  /** One for each place that a run can go to, when those that are queued have theirs. */
  private List<String> modelsOfFreePlaces() {
    List<String> models = new ArrayList<>(slots.freeModels());
    for (String queued : pool.queuedModels()) {
      if (!models.remove(queued) && !models.remove(LoadedModel.NONE) && !models.isEmpty()) {
        models.remove(0);
      }
    }
    return models;
  }

  /**
   * For all of them in one hold. One limit for all kinds: the lowest of those that take a slot, if
   * any could start; it is meant for a hold that parks because nothing is due.
   */
  HoldScope all(TypeLimits limits) {
    List<String> stages = new ArrayList<>();
    List<String> deferred = new ArrayList<>();
    int limit = 0;
    boolean slotted = false;
    for (Kind kind : kinds) {
      HoldScope scope = of(kind, limits);
      stages.addAll(scope.stages());
      deferred.addAll(scope.deferred());
      if (!scope.isEmpty() && (kind.places() > 0 || !slotted)) {
        limit = slotted ? Math.min(limit, scope.limit()) : scope.limit();
        slotted |= kind.places() > 0;
      }
    }
    return HoldScope.of(stages, limit, deferred);
  }

  /** Whether a slot that becomes free would make {@link #all} ask for more, or for it sooner. */
  boolean waitsForSlots(TypeLimits limits) {
    return kinds.stream()
        .filter(kind -> kind.places() > 0)
        .map(kind -> of(kind, limits))
        .anyMatch(scope -> scope.isEmpty() || scope.defers());
  }

  /** For everything there is a handler for, whatever is free: to see what a lost answer named. */
  HoldScope one() {
    return HoldScope.of(
        kinds.stream().flatMap(kind -> kind.names().stream()).toList(), 1, List.of());
  }

  private boolean backlogged() {
    return held.count(taskType) - pool.working() >= backlogThreshold;
  }
}
