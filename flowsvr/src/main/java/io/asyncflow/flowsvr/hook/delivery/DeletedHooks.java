package io.asyncflow.flowsvr.hook.delivery;

import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.DutyIntervals;
import io.asyncflow.flowsvr.hook.core.HookRow;
import io.asyncflow.flowsvr.hook.core.HookStore;
import io.asyncflow.flowsvr.hook.core.HooksInUse;
import io.asyncflow.flowsvr.hook.core.StoredHookState;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/** Deletes the rows of deleted hooks once all of their tasks have ended. */
@Component
class DeletedHooks {

  private final HooksInUse inUse;
  private final HookStore hooks;
  private final UnfinishedDeliveryStore deliveries;

  DeletedHooks(HooksInUse inUse, HookStore hooks, UnfinishedDeliveryStore deliveries) {
    this.inUse = inUse;
    this.hooks = hooks;
    this.deliveries = deliveries;
  }

  @Bean
  Duty deletedHooksDuty(DutyIntervals every) {
    return Duty.ofCleaning("deleted-hooks", every, this::runOnce);
  }

  /** Returns the number of deleted rows. */
  int runOnce() {
    int removed = 0;
    for (HookRow hook : inUse.all()) {
      if (hook.state() == StoredHookState.DELETED && !deliveries.isAny(hook.stage())) {
        hooks.remove(hook.id());
        removed++;
      }
    }
    return removed;
  }
}
