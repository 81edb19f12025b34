package io.asyncflow.flowsvr.compose.job;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.JobState;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.compose.job.core.JobChanged;
import io.asyncflow.flowsvr.compose.job.core.JobChanger;
import io.asyncflow.flowsvr.compose.job.core.JobCreator;
import io.asyncflow.flowsvr.compose.job.core.JobStore;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.queue.create.TaskCreator;
import io.asyncflow.flowsvr.task.pause.PausesChanged;
import io.asyncflow.rules.JobPause;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.JobRules;
import io.asyncflow.rules.TaskId;
import java.util.function.LongPredicate;
import org.springframework.stereotype.Service;

/** Cancels, retries, pauses and resumes jobs. */
@Service
public class JobActs {

  private final JobStore jobs;
  private final TaskCreator creator;
  private final Acts acts;
  private final RetryingTransactions transactions;
  private final JobChanger changer;
  private final Events events;

  JobActs(
      JobStore jobs,
      TaskCreator creator,
      Acts acts,
      RetryingTransactions transactions,
      JobChanger changer,
      Events events) {
    this.jobs = jobs;
    this.creator = creator;
    this.acts = acts;
    this.transactions = transactions;
    this.changer = changer;
    this.events = events;
  }

  /**
   * Cancels the unfinished rest of a job: from now on no child is released and no merge is created.
   * Its tasks are cancelled afterwards, page by page. Cancelling a cancelled job changes nothing.
   *
   * @throws FlowException with {@link ErrorCode#TRANSITION_NOT_ALLOWED} if it has ended in another
   *     state
   */
  void cancel(long jobId, Reason why) {
    boolean isStopped =
        transactions.execute(() -> recordIf(cancelIfLiving(jobId), "CANCEL", jobId, why));
    JobRow job = isStopped ? null : jobs.get(jobId);
    if (job != null && job.state() != JobState.CANCELLED) {
      throw notAllowed(job, "the job has ended");
    }
  }

  /** Cancels a job if it has not ended, in the caller's transaction; returns whether it did. */
  public boolean cancelIfLiving(long jobId) {
    return changer.change(jobId, JobRules::stopped);
  }

  /**
   * Resumes a failed or cancelled job. It is split again if it was never split; failed and
   * cancelled children run again from the stage at which they stopped; then it is merged.
   * Successful children are kept.
   *
   * @throws FlowException with {@link ErrorCode#TRANSITION_NOT_ALLOWED} if it is neither failed nor
   *     cancelled
   */
  void retry(long jobId, Reason why) {
    JobRow job = jobs.get(jobId);
    if (job.state() != JobState.FAILED && job.state() != JobState.CANCELLED) {
      throw notAllowed(job, "only a failed or cancelled job can be retried");
    }
    if (job.total() == null) {
      creator.create(
          JobCreator.splitOf(jobId, job.userId(), job.jobType(), job.priority(), job.traceParent())
              .and(
                  split -> {
                    if (!retry(job, split.get(0), why)) {
                      throw changed(jobId);
                    }
                  }));
    } else if (!transactions.execute(() -> retry(job, null, why))) {
      throw changed(jobId);
    }
  }

  private boolean retry(JobRow job, TaskId newSplit, Reason why) {
    boolean isRetried =
        changer.change(job.id(), now -> JobRules.retried(now, job.version(), newSplit));
    return recordIf(isRetried, "RETRY", job.id(), why);
  }

  private boolean recordIf(boolean isDone, String act, long jobId, Reason why) {
    if (isDone) {
      acts.record(Act.of(act, "job:" + jobId).by(why));
    }
    return isDone;
  }

  /**
   * Pauses a job: nothing of it is released, revived or merged, and no worker gets a task of it
   * that waits. Pausing a paused job changes nothing.
   *
   * @throws FlowException with {@link ErrorCode#TRANSITION_NOT_ALLOWED} if it has ended or is being
   *     cancelled
   */
  void pause(long jobId, Reason why) {
    if (!change(jobId, jobs::pause, "PAUSE", EventKind.PAUSED, why)
        && requireLiving(jobId, "it cannot be paused any more").pause() != JobPause.PAUSED) {
      throw changed(jobId);
    }
  }

  /**
   * Lets a paused job go on; does nothing if it is not paused.
   *
   * @throws FlowException with {@link ErrorCode#TRANSITION_NOT_ALLOWED} if it has ended or is being
   *     cancelled
   */
  void resume(long jobId, Reason why) {
    if (!change(jobId, jobs::unpause, "RESUME", EventKind.RESUMED, why)) {
      requireLiving(jobId, "there is nothing to resume");
    }
  }

  private JobRow requireLiving(long jobId, String otherwise) {
    JobRow job = jobs.get(jobId);
    if (job.state().isFinal() || job.state() == JobState.STOPPING) {
      throw notAllowed(job, otherwise);
    }
    return job;
  }

  private boolean change(long jobId, LongPredicate pause, String act, EventKind kind, Reason why) {
    boolean isChanged =
        transactions.execute(
            () -> {
              boolean isDone = recordIf(pause.test(jobId), act, jobId, why);
              if (isDone) {
                changer.tell(kind, jobId);
              }
              return isDone;
            });
    if (isChanged) {
      events.publish(PausesChanged.HERE);
      events.publish(new JobChanged(jobId));
    }
    return isChanged;
  }

  private static FlowException changed(long jobId) {
    return new FlowException(
        ErrorCode.CHANGED_MEANWHILE,
        "job " + jobId + " was changed just now, and nothing was done; try again");
  }

  private static FlowException notAllowed(JobRow job, String why) {
    return new FlowException(
        ErrorCode.TRANSITION_NOT_ALLOWED, "job " + job.id() + " is " + job.state() + ": " + why);
  }
}
