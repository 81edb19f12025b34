package io.asyncflow.flowsvr.task;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.TaskType;
import java.util.Collection;
import java.util.Set;

/**
 * News, published after commit: tasks of this type are waiting that were not before, due now or
 * later. Who publishes it says as much as it knows, so that others need not look everywhere.
 *
 * @param tables where they wait; empty if that may be anywhere
 * @param stages what they wait for; empty if that may be anything
 * @param dueFromNowOn whether none of them was due before it began to wait, so that none goes ahead
 *     of those that were taken already
 */
public record TasksWaiting(
    TaskType type, Set<TaskTable> tables, Set<String> stages, boolean dueFromNowOn) {

  public TasksWaiting {
    tables = Set.copyOf(tables);
    stages = Set.copyOf(stages);
  }

  /** Anywhere, for anything, due at any time. */
  public TasksWaiting(TaskType type) {
    this(type, Set.of(), Set.of(), false);
  }

  /** Tasks that were just created. */
  public static TasksWaiting created(
      TaskType type, Set<TaskTable> tables, Collection<TaskDraft> tasks) {
    boolean dueFromNowOn =
        tasks.stream()
            .allMatch(
                task ->
                    task.runAt() == null
                        && (task.delayMs() != null ? task.delayMs() : -headStart(task)) >= 0);
    return new TasksWaiting(
        type, tables, tasks.stream().map(TaskDraft::stage).collect(toSet()), dueFromNowOn);
  }

  private static long headStart(TaskDraft task) {
    return task.priority() == null ? 0 : task.priority();
  }

  /** Tasks that wait again, or whose end lets others of their type be taken. */
  public static TasksWaiting after(TaskType type, Collection<TaskTransition> written) {
    return new TasksWaiting(
        type,
        written.stream().map(to -> to.before().id().table()).collect(toSet()),
        written.stream().map(to -> to.after().stage()).collect(toSet()),
        written.stream()
            .allMatch(to -> !to.makesWaiting() || to.after().orderTime() >= to.before().now()));
  }
}
