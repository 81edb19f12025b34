package io.asyncflow.flowsvr.task.row;

import static java.util.stream.Collectors.toSet;

import io.asyncflow.flowsvr.base.system.redis.ClusterEvent;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import io.asyncflow.rules.TaskType;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * News, published after the commit: tasks of this type may have become claimable. Either they wait
 * that did not wait before, due now or later; or a task has ended and so made room within {@code
 * max_executing}. Its fields are as specific as possible, so that listeners read only the sources
 * concerned.
 *
 * @param tables the tables of the written tasks; empty if unknown
 * @param stages the stages of the written tasks; empty if unknown
 * @param dueFromNowOn whether none of those that now wait was due before it began to wait, so that
 *     none precedes tasks that were claimed already
 * @param isFromAfar whether another server has written them
 */
public record TasksWaiting(
    TaskType type,
    Set<TaskTable> tables,
    Set<String> stages,
    boolean dueFromNowOn,
    boolean isFromAfar)
    implements ClusterEvent {

  /** Ends the line of tasks of which none is due earlier than those that waited before. */
  private static final String LATER = " later";

  public TasksWaiting {
    tables = Set.copyOf(tables);
    stages = Set.copyOf(stages);
  }

  /** Tasks that this server has written. */
  public TasksWaiting(
      TaskType type, Set<TaskTable> tables, Set<String> stages, boolean dueFromNowOn) {
    this(type, tables, stages, dueFromNowOn, false);
  }

  /** Tasks in unknown tables and stages, due at any time. */
  public TasksWaiting(TaskType type) {
    this(type, Set.of(), Set.of(), false);
  }

  @Override
  public String line() {
    return type.name() + (dueFromNowOn ? LATER : "");
  }

  /** The news of a line of another server. */
  public static Optional<TasksWaiting> ofLine(String line) {
    boolean dueFromNowOn = line.endsWith(LATER);
    return TaskType.parse(dueFromNowOn ? line.substring(0, line.length() - LATER.length()) : line)
        .map(type -> new TasksWaiting(type, Set.of(), Set.of(), dueFromNowOn, true));
  }

  /** The same of tasks that may have become due before they were written. */
  public TasksWaiting dueAtAnyTime() {
    return new TasksWaiting(type, tables, stages, false);
  }

  /** Tasks that were just created. */
  public static TasksWaiting created(TaskType type, List<NewRow> rows) {
    return new TasksWaiting(
        type,
        rows.stream().map(row -> row.id().table()).collect(toSet()),
        rows.stream().map(row -> row.task().stage()).collect(toSet()),
        rows.stream().allMatch(row -> row.task().runAt() == null && row.task().dueIn() >= 0));
  }

  /** Tasks that wait again, or whose end lets others of their type be claimed. */
  public static TasksWaiting after(TaskType type, Collection<TaskTransition> written) {
    return new TasksWaiting(
        type,
        written.stream().map(transition -> transition.before().id().table()).collect(toSet()),
        written.stream().map(transition -> transition.after().stage()).collect(toSet()),
        written.stream()
            .allMatch(
                transition ->
                    !transition.makesWaiting()
                        || transition.after().orderTime() >= transition.before().now()));
  }
}
