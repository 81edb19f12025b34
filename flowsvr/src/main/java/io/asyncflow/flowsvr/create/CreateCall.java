package io.asyncflow.flowsvr.create;

import io.asyncflow.flowsvr.task.TaskDraft;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.TaskId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What one call wants to be created: all of it, or none.
 *
 * @param tasks at least one
 * @param places what each of the tasks is in a job; empty for tasks of their own
 * @param join what else its transaction does; {@code null} for nothing
 */
public record CreateCall(List<TaskDraft> tasks, List<JobPlace> places, Join join) {

  /** What else a transaction does that creates tasks. */
  @FunctionalInterface
  public interface Join {

    /**
     * Runs in the transaction, after the tasks were inserted; what it throws undoes them.
     *
     * @param ids of the tasks, in the order given
     */
    void with(List<TaskId> ids);
  }

  /** Tasks of their own. */
  public static CreateCall of(List<TaskDraft> tasks) {
    return new CreateCall(tasks, List.of(), null);
  }

  /** Tasks of jobs, without keys. */
  public static CreateCall ofJobs(List<TaskDraft> tasks, List<JobPlace> places) {
    return new CreateCall(tasks, places, null);
  }

  /** The same, and in its transaction what {@code join} does. */
  public CreateCall and(Join join) {
    return new CreateCall(tasks, places, join);
  }

  /** Whether one statement can create them, which commits by itself. */
  boolean isOneStatement() {
    return join == null
        && TaskStore.fitOneStatement(tasks)
        && tasks.stream().map(TaskDraft::type).distinct().count() == 1
        && tasks.stream().allMatch(task -> task.idempotencyKey() == null);
  }

  void joinWith(List<TaskId> ids) {
    if (join != null) {
      join.with(ids);
    }
  }

  Map<Long, JobPlace> placesOf(TaskId[] ids) {
    Map<Long, JobPlace> byNumber = new HashMap<>();
    for (int i = 0; i < places.size(); i++) {
      byNumber.put(ids[i].number(), places.get(i));
    }
    return byNumber;
  }
}
