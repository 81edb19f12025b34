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
 * Computes what a hold can ask for: only stages with a handler; for stages with a slot, as many
 * tasks as the free places suffice for, so that no worker hoards tasks for which another has a
 * slot; and never more than threads can start soon. Where smaller runs alone have kept a stage from
 * its places for a while, one task of it is asked for, for which the pool then keeps them.
 *
 * <p>Stages whose model is not loaded on any free place are deferred to other workers for a while,
 * unless a free place has nothing loaded. Such stages are asked for one run at a time, because each
 * run replaces the model of a place.
 */
public final class TypeDemand {

  /** Stages whose runs need the same resources, so that one limit applies to all. */
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

    /** The stages with a model that is not among these. */
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
   * @param batched the stage, if it has batches and so its own limit; empty otherwise
   */
  private record KindKey(int places, String batched) {}

  private final String taskType;

  /** The most demanding kind first: the remaining places suffice for the others more easily. */
  private final List<Kind> kinds;

  private final RunPool pool;
  private final SlotPool slots;
  private final HeldRuns held;
  private final int backlogThreshold;

  /**
   * @param backlogThreshold the number of held tasks that do not run from which on nothing is asked
   *     for
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

  /** Whether a hold is worthwhile. */
  boolean any(TypeLimits limits) {
    return pool.wantsMore() && !backlogged() && !allKinds(limits).isEmpty();
  }

  /** The number of kinds of stages; {@link #of} takes an index, from 0. */
  int kinds() {
    return kinds.size();
  }

  /** The indices of the kinds; first those with a model loaded on a free place. */
  List<Integer> loadedFirst() {
    List<String> loaded = modelsOfFreePlaces();
    return IntStream.range(0, kinds.size())
        .boxed()
        .sorted(Comparator.comparing(kind -> kinds.get(kind).hasAny(loaded) ? 0 : 1))
        .toList();
  }

  /** The scope of the stages of one kind. */
  HoldScope of(int kind, TypeLimits limits) {
    return of(kinds.get(kind), limits);
  }

  /** The scope of the stages of one kind that {@link #of} defers. */
  HoldScope deferredOf(int kind, TypeLimits limits) {
    HoldScope scope = of(kind, limits);
    return HoldScope.of(scope.deferred(), scope.limit(), scope.deferred());
  }

  /** Whether the loaded models have had their turn. */
  boolean isTurnOfOtherModels() {
    return slots.isTurnOver();
  }

  /** Ends the turn of the other models: there was nothing due for them. */
  void endTurnOfOtherModels() {
    slots.beginNextTurn();
  }

  private HoldScope of(Kind kind, TypeLimits limits) {
    int runs = pool.room();
    List<String> deferred = deferredOf(kind);
    if (kind.places() > 0) {
      int waiting = (pool.queuedForPlaces() + kind.places() - 1) / kind.places();
      int fits = slots.starves(kind.places()) ? 1 : slots.fits(kind.places());
      runs = Math.min(runs, fits - waiting);
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

  /** The models of the free places, without the places that queued runs will take. */
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
   * The scope of all kinds in one hold, for a hold that parks because nothing is due. Its limit is
   * the lowest of the kinds with a slot, if any could start.
   */
  HoldScope allKinds(TypeLimits limits) {
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

  /**
   * Whether a freed slot would make {@link #allKinds} ask for more stages, or for deferred ones
   * sooner.
   */
  boolean waitsForSlots(TypeLimits limits) {
    return kinds.stream()
        .filter(kind -> kind.places() > 0)
        .map(kind -> of(kind, limits))
        .anyMatch(scope -> scope.isEmpty() || scope.defers());
  }

  /**
   * The scope of one task of any stage with a handler, whatever is free: to learn the tasks of a
   * lost answer.
   */
  HoldScope singleTask() {
    return HoldScope.of(
        kinds.stream().flatMap(kind -> kind.names().stream()).toList(), 1, List.of());
  }

  private boolean backlogged() {
    return held.count(taskType) - pool.working() >= backlogThreshold;
  }
}
