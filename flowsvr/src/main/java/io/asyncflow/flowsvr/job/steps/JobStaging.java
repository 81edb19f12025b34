package io.asyncflow.flowsvr.job.steps;

import io.asyncflow.api.JobChildren;
import io.asyncflow.flowsvr.job.core.JobRow;
import io.asyncflow.flowsvr.job.core.JobStore;
import io.asyncflow.flowsvr.job.core.JobTaskStore;
import io.asyncflow.flowsvr.job.core.NoSuchJobException;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.TaskNotFoundException;
import io.asyncflow.flowsvr.task.TaskStore;
import io.asyncflow.flowsvr.tasktable.TaskFamilies;
import io.asyncflow.flowsvr.web.read.InvalidFieldException;
import io.asyncflow.rules.HoldFence;
import io.asyncflow.rules.JobPlace;
import io.asyncflow.rules.LeaseLostException;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TransitionNotAllowedException;
import java.util.List;
import org.springframework.stereotype.Service;

/**
 * Takes the children that a split sends, page by page, and keeps them until its report says that
 * these are all. None of them is a task before that, so no job is ever half split.
 *
 * <p>A page is fenced as a report is, by the epoch of the split's hold. Pages come in order, so how
 * many there are is a number in the job's row, and a hold that starts over overwrites what an
 * earlier one has sent.
 */
@Service
public class JobStaging {

  private final TaskFamilies families;
  private final TaskStore tasks;
  private final JobStore jobs;
  private final JobTaskStore jobTasks;
  private final RetryingTransactions transactions;

  JobStaging(
      TaskFamilies families,
      TaskStore tasks,
      JobStore jobs,
      JobTaskStore jobTasks,
      RetryingTransactions transactions) {
    this.families = families;
    this.tasks = tasks;
    this.jobs = jobs;
    this.jobTasks = jobTasks;
    this.transactions = transactions;
  }

  /**
   * Stages a page; one that was staged before is staged again.
   *
   * @param page checked
   * @return how many children the split has sent by now
   * @throws LeaseLostException if this hold of the split has no more to say
   * @throws NoSuchJobException if the job's time is over, and somebody has its split run again
   * @throws TransitionNotAllowedException if the task splits no job, or the job is not being split
   * @throws InvalidFieldException if the page leaves a gap
   */
  public int add(JobChildren page) {
    TaskId id = TaskId.parse(page.taskId()).orElseThrow();
    if (!families.has(id.table())) {
      throw new TaskNotFoundException(id);
    }
    return transactions.execute(() -> addInTransaction(id, page));
  }

  private int addInTransaction(TaskId id, JobChildren page) {
    TaskRow split =
        tasks.lock(id.table(), List.of(id.number())).stream()
            .findFirst()
            .orElseThrow(() -> new TaskNotFoundException(id));
    requireHold(split, page);
    long jobId = split.place().jobId();
    JobRow job = jobs.find(jobId).orElseThrow(() -> new NoSuchJobException(jobId));
    int before = job.stagedEpoch() == page.leaseEpoch() ? job.staged() : 0;
    if (page.first() > before) {
      throw new InvalidFieldException(
          "first", "must be at most " + before + ": pages come in order");
    }
    jobTasks.stage(job.id(), page.first(), page.children());
    int staged = Math.max(before, page.first() + page.children().size());
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
