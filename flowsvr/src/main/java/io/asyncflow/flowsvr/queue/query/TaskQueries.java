package io.asyncflow.flowsvr.queue.query;

import static io.asyncflow.flowsvr.task.table.Freshness.NOW;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskPage;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.edge.web.read.InvalidFieldException;
import io.asyncflow.flowsvr.queue.create.IdempotencyKeyStore;
import io.asyncflow.flowsvr.task.lane.Lanes;
import io.asyncflow.flowsvr.task.row.TaskNotFoundException;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.table.TaskFamily;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.PageFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.springframework.stereotype.Service;

/**
 * Reads tasks: one by its id, or lists, newest first, in pages. Thread-safe.
 *
 * <p>A cursor is the number of the last row visited, so every page costs the same, and tasks
 * created meanwhile do not shift it. A page visits a bounded number of rows; a page with fewer
 * tasks than its limit may still have a cursor.
 */
@Service
public class TaskQueries {

  private final TaskTypes types;
  private final TaskFamilies families;
  private final TaskStore tasks;
  private final TaskListStore lists;
  private final IdempotencyKeyStore keys;
  private final Lanes lanes;

  TaskQueries(
      TaskTypes types,
      TaskFamilies families,
      TaskStore tasks,
      TaskListStore lists,
      IdempotencyKeyStore keys,
      Lanes lanes) {
    this.types = types;
    this.families = families;
    this.tasks = tasks;
    this.lists = lists;
    this.keys = keys;
    this.lanes = lanes;
  }

  /**
   * The task of this id.
   *
   * @throws TaskNotFoundException if there is none
   */
  public Task get(TaskId id) {
    return types
        .find(id.type())
        .flatMap(
            type ->
                find(id).map(row -> row.toTask(type).withWorkerIds(lanes.workersOf(row.lane()))))
        .orElseThrow(() -> notFound(id));
  }

  /**
   * The task that stands under an idempotency key of this type.
   *
   * @param isSeen of a user that is not seen, there are no tasks
   * @throws io.asyncflow.flowsvr.task.type.NoSuchTaskTypeException if the type is not configured
   * @throws FlowException with {@link ErrorCode#NO_SUCH_TASK} if there is none
   */
  Task get(TaskType type, String key, Predicate<String> isSeen) {
    types.require(type);
    return keys.taskOf(type, key)
        .map(this::get)
        .filter(task -> isSeen.test(task.userId()))
        .orElseThrow(
            () ->
                new FlowException(
                    ErrorCode.NO_SUCH_TASK,
                    "no task of the type " + type.name() + " has the key " + key));
  }

  private TaskNotFoundException notFound(TaskId id) {
    return families.hasDropped(id.table())
        ? TaskNotFoundException.dropped(id)
        : new TaskNotFoundException(id);
  }

  /** The row of this id; empty also if its type or its table does not exist. */
  public Optional<TaskRow> find(TaskId id) {
    return families.has(id.table()) ? tasks.find(id) : Optional.empty();
  }

  /**
   * Tasks of one type over all its tables.
   *
   * @param statuses empty for all
   * @param cursor the last page's {@code nextCursor}; {@code null} for the first page
   * @param users tasks of other users are not on the list
   * @throws InvalidFieldException if the cursor is not valid
   */
  public TaskPage list(
      TaskType type, Set<TaskStatus> statuses, int limit, String cursor, Names users) {
    types.require(type);
    List<TaskFamily> family = families.find(type, NOW).stream().toList();
    return page(lists.newest(family, statuses, limit, numberOf(cursor), users));
  }

  /**
   * Tasks of one user over all tables of some types; see {@link #list}.
   *
   * @param ofTypes tasks of other types are not on the list
   */
  public TaskPage listOfUser(
      String userId, Set<TaskStatus> statuses, int limit, String cursor, Names ofTypes) {
    List<TaskFamily> read =
        families.all(NOW).stream()
            .filter(family -> ofTypes.contains(family.type().name()))
            .toList();
    return page(lists.newestOfUser(read, userId, statuses, limit, numberOf(cursor)));
  }

  private TaskPage page(TaskListStore.Page page) {
    List<Task> listed = new ArrayList<>(page.rows().size());
    for (TaskRow row : page.rows()) {
      // The tasks of a type whose configuration was deleted still exist, but are not listed.
      types.find(row.id().type()).ifPresent(type -> listed.add(row.toTask(type)));
    }
    String next = page.continueBefore().isEmpty() ? null : "" + page.continueBefore().getAsLong();
    return new TaskPage(listed, next);
  }

  private static long numberOf(String cursor) {
    return PageFields.numberOf(cursor)
        .orElseThrow(() -> new InvalidFieldException("cursor", PageFields.CURSOR_RULE));
  }
}
