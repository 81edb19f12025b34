package io.asyncflow.flowsvr.hook.delivery;

import io.asyncflow.flowsvr.hook.core.HookTasks;
import io.asyncflow.flowsvr.tasktable.Freshness;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.tasktable.TaskFamily;
import io.asyncflow.rules.TaskTable;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Looks for deliveries that have not ended. Thread-safe. */
@Component
class UnfinishedDeliveryStore {

  private final JdbcClient jdbc;
  private final TaskFamilies families;

  UnfinishedDeliveryStore(JdbcClient jdbc, TaskFamilies families) {
    this.jdbc = jdbc;
    this.families = families;
  }

  /** Whether a task of this stage is unfinished; one step into the index a table. */
  boolean isAny(String stage) {
    List<TaskTable> live =
        families.find(HookTasks.TYPE, Freshness.NOW).map(TaskFamily::live).orElse(List.of());
    return live.stream().anyMatch(table -> isAny(table, stage));
  }

  private boolean isAny(TaskTable table, String stage) {
    return jdbc.sql(
            """
            SELECT EXISTS (
              SELECT 1 FROM %s
              WHERE status IN (1, 2, 32)
                AND task_stage = ?)
            """
                .formatted(table.sqlName()))
        .param(stage)
        .query(Boolean.class)
        .single();
  }
}
