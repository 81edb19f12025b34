package io.asyncflow.flowsvr.task.row;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.base.system.db.StatementGroups;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.stereotype.Component;

/**
 * Which tasks a caller reaches. The id of a task names its type; the row is read only if the
 * caller's scope has some users. Thread-safe.
 */
@Component
public class TaskAuthorization {

  private static final int PAGE = 1_000;

  private final TaskFamilies families;
  private final TaskStore tasks;

  TaskAuthorization(TaskFamilies families, TaskStore tasks) {
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
    return !reached(List.of(id), caller).isEmpty();
  }

  /** Those of the tasks that the caller reaches; one statement for a thousand of a table. */
  Set<TaskId> reached(Collection<TaskId> ids, Caller caller) {
    Set<TaskId> seen =
        ids.stream().filter(id -> caller.seesType(id.type().name())).collect(toSet());
    if (caller.seesAllUsers()) {
      return seen;
    }
    Set<TaskId> reached = new HashSet<>();
    seen.stream()
        .collect(groupingBy(TaskId::table, mapping(TaskId::number, toList())))
        .forEach(
            (table, numbers) -> {
              for (List<Long> page : StatementGroups.of(numbers, PAGE)) {
                if (families.has(table)) {
                  tasks
                      .ofUsers(table, page, caller::seesUser)
                      .forEach(number -> reached.add(new TaskId(number, table)));
                }
              }
            });
    return reached;
  }

  /** The context of a task; empty if there is no such task. */
  String contextOf(TaskId id) {
    return find(id).map(TaskRow::context).orElse("");
  }

  /** Whether there is such a task, whoever asks. */
  public boolean exists(TaskId id) {
    return find(id).isPresent();
  }

  private Optional<TaskRow> find(TaskId id) {
    return families.has(id.table()) ? tasks.find(id) : Optional.empty();
  }
}
