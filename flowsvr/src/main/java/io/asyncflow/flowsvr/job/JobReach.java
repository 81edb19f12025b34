package io.asyncflow.flowsvr.job;

import io.asyncflow.api.JobChildren;
import io.asyncflow.api.NewJob;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.job.core.JobRow;
import io.asyncflow.flowsvr.job.core.NoSuchJobException;
import io.asyncflow.flowsvr.task.TaskNotFoundException;
import io.asyncflow.rules.TaskId;

/** Which jobs a caller reaches: those of its users whose types are both in its scope. */
public final class JobReach {

  private JobReach() {}

  /**
   * The job, if the caller reaches it.
   *
   * @throws NoSuchJobException if it does not, as if there were no such job
   */
  public static JobRow require(JobRow job, Caller caller) {
    if (!reaches(job, caller)) {
      throw new NoSuchJobException(job.id());
    }
    return job;
  }

  /** Whether the caller reaches the job. */
  public static boolean reaches(JobRow job, Caller caller) {
    return caller.sees(job.jobType().name(), job.userId())
        && caller.seesType(job.childType().name());
  }

  /**
   * Returns if the caller may create the job.
   *
   * @throws io.asyncflow.flowsvr.access.OutOfScopeException if one of its types or its user is
   *     beyond the caller's scope
   */
  static void requireNew(NewJob job, Caller caller) {
    caller.requireType(job.jobType());
    caller.requireType(job.childType());
    caller.requireUser(job.userId());
  }

  /**
   * The task that splits, if the caller may split the job with it; its stage is judged with its
   * row.
   *
   * @throws TaskNotFoundException if the type of the task is beyond its scope
   */
  static TaskId requireSplit(JobChildren page, Caller caller) {
    TaskId split = TaskId.parse(page.taskId()).orElseThrow();
    if (!caller.seesType(split.type().name())) {
      throw new TaskNotFoundException(split);
    }
    caller.requireWorker(page.workerId());
    return split;
  }
}
