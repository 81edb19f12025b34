package io.asyncflow.flowsvr.compose.hook;

import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.task.table.Freshness;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.rules.TaskTable;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

/** Deletes the rows of deleted hooks once all of their tasks have ended. */
@Component
class DeletedHooks {

  private final HookStore hooks;
  private final TaskFamilies families;

  DeletedHooks(HookStore hooks, TaskFamilies families) {
    this.hooks = hooks;
    this.families = families;
  }

  @Bean
  Duty deletedHooksDuty(DutyIntervals every) {
    return Duty.ofCleaning("deleted-hooks", every, this::runOnce).onlyWith(HookStore.HOOKS);
  }

  /** Returns the number of deleted rows. */
  int runOnce() {
    int removed = 0;
    for (HookRow hook : hooks.all()) {
      if (hook.state() == StoredHookState.DELETED && !isDelivered(hook.stage())) {
        hooks.remove(hook.id());
        removed++;
      }
    }
    return removed;
  }

  /** Whether a task of this stage is unfinished; one step into the index a table. */
  private boolean isDelivered(String stage) {
    List<TaskTable> live =
        families.find(HookTasks.TYPE, Freshness.NOW).map(TaskFamily::live).orElse(List.of());
    return live.stream().anyMatch(table -> hooks.isDelivered(table, stage));
  }
}
