package io.asyncflow.worker.internal;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * What can be asked for just now: only stages with a handler and, where they take a slot, as many
 * tasks as there are free slots, so that no worker hoards what another has a slot for; never more
 * than threads can start soon.
 */
final class Asks {

  private final String taskType;
  private final List<String> openStages;
  private final List<String> slotStages;
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
    this.openStages = stagesOf(stages, false);
    this.slotStages = stagesOf(stages, true);
    this.pool = pool;
    this.slots = slots;
    this.held = held;
    this.backlogThreshold = backlogThreshold;
  }

  private static List<String> stagesOf(Collection<RegisteredStage> stages, boolean wantSlot) {
    return stages.stream()
        .filter(stage -> stage.wantsSlot() == wantSlot)
        .map(RegisteredStage::stage)
        .toList();
  }

  /** Whether asking for anything pays. */
  boolean any(TypeLimits limits) {
    return pool.wantsMore() && !backlogged() && !all(limits).isNothing();
  }

  /** For the stages that take a slot. */
  Ask slotted(TypeLimits limits) {
    int freeSlots = slots.free() - pool.queuedForSlots();
    return Ask.of(slotStages, Math.min(freeSlots, room(limits)));
  }

  /** For the stages that take none. */
  Ask open(TypeLimits limits) {
    return Ask.of(openStages, room(limits));
  }

  /**
   * For all of them in one hold. One limit for both kinds: that of the slots, while any is free; it
   * is meant for a hold that parks because nothing is due.
   */
  Ask all(TypeLimits limits) {
    Ask slotted = slotted(limits);
    Ask open = open(limits);
    if (slotted.isNothing()) {
      return open;
    }
    return Ask.of(
        Stream.concat(slotted.stages().stream(), open.stages().stream()).toList(), slotted.limit());
  }

  /** For everything there is a handler for, whatever is free: to see what a lost answer named. */
  Ask one() {
    return Ask.of(Stream.concat(slotStages.stream(), openStages.stream()).toList(), 1);
  }

  boolean hasBothKinds() {
    return !openStages.isEmpty() && !slotStages.isEmpty();
  }

  boolean hasSlotStages() {
    return !slotStages.isEmpty();
  }

  private int room(TypeLimits limits) {
    return Math.min(pool.room(), limits.scheduleLimit());
  }

  private boolean backlogged() {
    return held.count(taskType) - pool.working() >= backlogThreshold;
  }
}
