package io.asyncflow.flowsvr.queue.create;

import io.asyncflow.flowsvr.edge.access.Names;
import io.asyncflow.flowsvr.task.row.TaskDraft;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskId;
import java.util.List;

/**
 * The tasks of one create call, which are created all or none.
 *
 * @param tasks at least one
 * @param places the role of each task in its job, in the order of the tasks; empty outside jobs
 * @param ofUsers whether users ask for the tasks, so that the limits of what a user may create
 *     apply
 * @param users those whose tasks the caller sees: a key that stands for a task of another one is
 *     refused
 * @param reported the task whose run creates these, which counts as executing, also after its
 *     lease; {@code null} for none
 * @param join further work in the same transaction; {@code null} for none
 */
public record CreateCall(
    List<TaskDraft> tasks,
    List<JobPlace> places,
    boolean ofUsers,
    Names users,
    TaskId reported,
    Join join) {

  /** Further work in a transaction that creates tasks. */
  @FunctionalInterface
  public interface Join {

    /**
     * Runs in the transaction, after the tasks were inserted. An exception rolls the transaction
     * back.
     *
     * @param ids the tasks' ids, in the order of the call
     */
    void with(List<TaskId> ids);
  }

  /** Tasks outside jobs. */
  public static CreateCall of(List<TaskDraft> tasks) {
    return new CreateCall(tasks, List.of(), false, Names.ALL, null, null);
  }

  /** Tasks of jobs, without idempotency keys. */
  public static CreateCall ofJobs(List<TaskDraft> tasks, List<JobPlace> places) {
    return new CreateCall(tasks, places, false, Names.ALL, null, null);
  }

  /** A copy of this call with further work in its transaction. */
  public CreateCall and(Join join) {
    return new CreateCall(tasks, places, ofUsers, users, reported, join);
  }

  /** A copy of this call to which the limits of what a user may create apply. */
  public CreateCall byUsers() {
    return new CreateCall(tasks, places, true, users, reported, join);
  }

  /**
   * A copy of this call of a caller that sees these users alone. A key may stand for a task of
   * another user of the type, which a create could show, replace or run again.
   */
  public CreateCall seenBy(Names seen) {
    return new CreateCall(tasks, places, ofUsers, seen, reported, join);
  }

  /** A copy of this call, of a report of a run of this task. */
  public CreateCall reportedBy(TaskId task) {
    return new CreateCall(tasks, places, ofUsers, users, task, join);
  }

  /** The role of a task in its job; {@code null} outside jobs. */
  JobPlace place(int position) {
    return places.isEmpty() ? null : places.get(position);
  }
}
