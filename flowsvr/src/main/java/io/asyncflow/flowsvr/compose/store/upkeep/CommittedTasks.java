package io.asyncflow.flowsvr.compose.store.upkeep;

import io.asyncflow.flowsvr.queue.query.TaskQueries;
import io.asyncflow.flowsvr.task.row.CopyStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import java.util.Optional;
import java.util.Set;
import org.springframework.stereotype.Component;

/** Reads tasks from the database by primary key. */
@Component
class CommittedTasks implements LiveTasks {

  private final TaskQueries tasks;
  private final TaskFamilies families;
  private final CopyStore copies;

  CommittedTasks(TaskQueries tasks, TaskFamilies families, CopyStore copies) {
    this.tasks = tasks;
    this.families = families;
    this.copies = copies;
  }

  @Override
  public Optional<TaskRow> find(TaskId id) {
    return tasks.find(id);
  }

  @Override
  public Set<TaskId> copiesOf(TaskId id) {
    return copies.of(id);
  }

  /**
   * Tasks are only deleted with their tables. If the table exists but the row does not, the store
   * is shared with another database, or the database was restored. If the type does not exist, it
   * may be restored together with its tables.
   */
  @Override
  public boolean isGone(TaskId id) {
    return families.hasDropped(id.table());
  }
}
