package io.asyncflow.flowsvr.store;

import io.asyncflow.flowsvr.query.TaskQueries;
import io.asyncflow.flowsvr.task.TaskCopies;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import java.util.Optional;
import java.util.Set;
import org.springframework.stereotype.Component;

/** The tasks of the database, each by its primary key. */
@Component
class CommittedTasks implements LiveTasks {

  private final TaskQueries tasks;
  private final TaskFamilies families;
  private final TaskCopies copies;

  CommittedTasks(TaskQueries tasks, TaskFamilies families, TaskCopies copies) {
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
   * Tasks go with their tables and in no other way. A row that is missing in a table which is there
   * says that the store belongs to another database, too, or that this one was restored; and a type
   * that was deleted may come back, and its tables with it.
   */
  @Override
  public boolean isGone(TaskId id) {
    return families.hasDropped(id.table());
  }
}
