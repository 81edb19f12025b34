package io.asyncflow.flowsvr.compose.job.steps;

import io.asyncflow.api.JobChildren;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.job.core.JobStore;
import io.asyncflow.flowsvr.compose.job.core.JobTaskStore;
import io.asyncflow.flowsvr.compose.job.core.NoSuchJobException;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.web.read.InvalidFieldException;
import io.asyncflow.flowsvr.task.row.TaskNotFoundException;
import io.asyncflow.flowsvr.task.row.TaskStore;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.type.SealedTexts;
import io.asyncflow.rules.HoldFence;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.LeaseLostException;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TransitionNotAllowedException;
import java.util.List;
import org.springframework.stereotype.Service;

/**
 * Stores the children that a split sends page by page until its report completes them. They become
 * tasks only then, so no job is ever half split.
 *
 * <p>A page is fenced like a report, by the epoch of the split's hold. Pages come in order, so the
 * job's row only counts the staged children, and a new hold of the split overwrites those of an
 * earlier one.
 */
@Service
public class JobStaging {

  private final TaskFamilies families;
  private final TaskStore tasks;
  private final JobStore jobs;
  private final JobTaskStore jobTasks;
  private final SealedTexts sealedTexts;
  private final RetryingTransactions transactions;

  JobStaging(
      TaskFamilies families,
      TaskStore tasks,
      JobStore jobs,
      JobTaskStore jobTasks,
      SealedTexts sealedTexts,
      RetryingTransactions transactions) {
    this.families = families;
    this.tasks = tasks;
    this.jobs = jobs;
    this.jobTasks = jobTasks;
    this.sealedTexts = sealedTexts;
    this.transactions = transactions;
  }

  /**
   * Stages a page; a repeated page is staged again.
   *
   * @param page validated
   * @param caller its sender
   * @return the number of children staged so far
   * @throws LeaseLostException if this hold of the split may no longer report
   * @throws io.asyncflow.flowsvr.edge.access.OutOfScopeException if the stage of the split is
   *     beyond the caller's scope
   * @throws NoSuchJobException if the job was deleted and an operator runs its split again
   * @throws TransitionNotAllowedException if the task is no split, or the job is not being split
   * @throws InvalidFieldException if the page leaves a gap
   * @throws io.asyncflow.api.FlowException with {@link io.asyncflow.api.ErrorCode#SEALING_RULE} if
   *     their type does not take a context
   */
  public int add(JobChildren page, Caller caller) {
    TaskId id = TaskId.parse(page.taskId()).orElseThrow();
    if (!families.has(id.table())) {
      throw new TaskNotFoundException(id);
    }
    return transactions.execute(() -> addInTransaction(id, page, caller));
  }

  private int addInTransaction(TaskId id, JobChildren page, Caller caller) {
    TaskRow split =
        tasks.lock(id.table(), List.of(id.number())).stream()
            .findFirst()
            .orElseThrow(() -> new TaskNotFoundException(id));
    requireHold(split, page);
    caller.requireStage(split.stage());
    long jobId = split.place().jobId();
    JobRow job = jobs.get(jobId);
    page.children().forEach(child -> HoldFence.requireOwn(id, child.taskContext()));
    sealedTexts.check(job.childType(), page.children(), "children");
    int alreadyStaged = job.stagedEpoch() == page.leaseEpoch() ? job.staged() : 0;
    if (page.first() > alreadyStaged) {
      throw new InvalidFieldException(
          "first", "must be at most " + alreadyStaged + ": pages come in order");
    }
    jobTasks.stage(job.id(), page.first(), page.children());
    int staged = Math.max(alreadyStaged, page.first() + page.children().size());
    if (!jobs.stage(job.id(), id, page.leaseEpoch(), staged)) {
      throw new TransitionNotAllowedException(id, "job " + job.id() + " is " + job.state());
    }
    return staged;
  }

  private static void requireHold(TaskRow split, JobChildren page) {
    if (split.place() == null || split.place().index() != JobPlace.SPLIT) {
      throw new TransitionNotAllowedException(split.id(), "it splits no job");
    }
    HoldFence.require(split, page.leaseEpoch(), page.workerId());
  }
}
