package io.asyncflow.flowsvr.task;

import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import java.util.Optional;
import org.springframework.stereotype.Component;

/**
 * Which tasks a caller reaches. The id of a task names its type; the row is read only if the
 * caller's scope has some users. Thread-safe.
 */
@Component
public class TaskReach {

  private final TaskFamilies families;
  private final TaskStore tasks;

  TaskReach(TaskFamilies families, TaskStore tasks) {
    this.families = families;
    this.tasks = tasks;
  }

  /**
   * @return the id, if the caller reaches the task
   * @throws TaskNotFoundException if it does not, as if there were no such task
   */
  public TaskId require(TaskId id, Caller caller) {
    if (caller.isScoped() && !reaches(id, caller)) {
      throw new TaskNotFoundException(id);
    }
    return id;
  }

  /**
   * Whether the caller reaches the task; with all users in its scope also one that is not there.
   */
  public boolean reaches(TaskId id, Caller caller) {
    return caller.seesType(id.type().name())
        && (caller.seesAllUsers()
            || find(id).filter(row -> caller.seesUser(row.userId())).isPresent());
  }

  /** Whether there is such a task, whoever asks. */
  public boolean exists(TaskId id) {
    return find(id).isPresent();
  }

  private Optional<TaskRow> find(TaskId id) {
    return families.has(id.table()) ? tasks.find(id) : Optional.empty();
  }
}
