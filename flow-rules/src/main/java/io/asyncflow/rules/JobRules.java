package io.asyncflow.rules;

import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.JobState;
import io.asyncflow.api.TaskStatus;
import java.util.List;

/**
 * Decides how a job changes by the ends of its tasks, by a retry, and by what ends it. Pure
 * functions of the row as it was read under its lock. Each returns the very row that it got if
 * there is nothing to write, and otherwise one that has yet to be {@linkplain #written written}.
 */
public final class JobRules {

  private JobRules() {}

  /**
   * The job after its tasks have ended, or live again.
   *
   * @param changes of different tasks of the job; any number
   */
  public static JobRow after(JobRow job, List<TaskTransition> changes) {
    List<TaskTransition> ofChildren =
        changes.stream().filter(change -> change.after().place().isChild()).toList();
    JobRow after = ofChildren.isEmpty() ? job : counted(job, JobCounts.ofChanges(ofChildren));
    for (TaskTransition change : changes) {
      TaskRow task = change.after();
      after = task.place().isChild() ? after : afterOwn(after, task.place(), task.id(), task);
    }
    return after;
  }

  /** The job with the state that follows from its counts. */
  public static JobRow judged(JobRow job) {
    JobRow judged = counted(job, JobCounts.NONE);
    return judged.equals(job) ? job : judged;
  }

  private static JobRow counted(JobRow job, JobCounts delta) {
    JobCounts counts = job.counts().plus(delta);
    return job.counting(counts).with("state", stateBy(counts, job));
  }

  private static JobState stateBy(JobCounts counts, JobRow job) {
    return switch (job.state()) {
      case RUNNING -> {
        if (counts.done() == job.total()) {
          yield afterChildren(job);
        }
        if (job.isTeam()) { // goes on after a failure: the copy may move; see teamEnded
          yield JobState.RUNNING;
        }
        if (counts.sum() == job.total()) {
          yield JobState.FAILED;
        }
        boolean isBroken = counts.failed() + counts.cancelled() > 0;
        yield isBroken && failsFast(job) ? JobState.STOPPING : JobState.RUNNING;
      }
      case STOPPING ->
          job.total() != null && counts.sum() == job.released() ? job.stopAs() : JobState.STOPPING;
      default -> job.state();
    };
  }

  private static boolean failsFast(JobRow job) {
    return job.policy() == FailurePolicy.FAIL_FAST;
  }

  private static JobState afterChildren(JobRow job) {
    return job.merges() ? JobState.MERGING : JobState.SUCCESS;
  }

  /**
   * The job after its split or its merge has ended, or waits again.
   *
   * @param task {@code null} if it no longer exists: it counts as failed
   */
  public static JobRow afterOwn(JobRow job, JobPlace place, TaskId id, TaskRow task) {
    boolean isSplit = place.index() == JobPlace.SPLIT;
    JobState awaiting = isSplit ? JobState.SPLITTING : JobState.MERGING;
    TaskStatus status = task == null ? TaskStatus.FAILED : task.status();
    boolean isStopping = job.state() == JobState.STOPPING;
    boolean isTold =
        status.isFinal() ? isStopping || job.state() == awaiting : job.state().isFinal();
    if (!isTold
        || !id.equals(isSplit ? job.splitTask() : job.mergeTask())
        || (isSplit && job.total() != null)) {
      return job;
    }
    if (!status.isFinal()) {
      return ended(job, awaiting, null, null).with("pause", JobPause.NONE);
    }
    if (isSplit && status == TaskStatus.SUCCESS) {
      int total = job.stagedEpoch() == task.leaseEpoch() ? job.staged() : 0;
      JobState next = total > 0 ? JobState.RUNNING : afterChildren(job);
      return job.with("total", total)
          .with("state", isStopping ? job.stopAs() : next)
          .with("runTime", job.now())
          .with("runBase", 0);
    }
    JobState end = isStopping ? job.stopAs() : JobState.valueOf(status.name());
    return end == JobState.SUCCESS
        ? ended(job, end, task.result(), null)
        : ended(job, end, null, status == TaskStatus.FAILED ? errorOf(id, task) : null);
  }

  private static JobRow ended(JobRow job, JobState state, String result, String error) {
    return job.with("state", state).with("result", result).with("errMsg", error);
  }

  private static String errorOf(TaskId id, TaskRow task) {
    String error = task == null ? null : ScheduleLog.last(task.scheduleLog()).error();
    return error == null ? id + " failed" : error;
  }

  /** The job while its unfinished tasks are being cancelled; the very row if it has ended. */
  public static JobRow stopped(JobRow job) {
    return job.state().isFinal()
        ? job
        : job.with("state", JobState.STOPPING)
            .with("stopAs", JobState.CANCELLED)
            .with("pause", JobPause.NONE);
  }

  /**
   * Ends a team of which no failed copy moves to another worker, if its policy says so: it has
   * failed, or its other copies are cancelled.
   *
   * @param version of the row when no copy could move
   */
  public static JobRow teamEnded(JobRow job, long version) {
    boolean isOver = job.ended() == job.total();
    return job.version() == version
            && job.state() == JobState.RUNNING
            && job.failed() + job.cancelled() > 0
            && (isOver || failsFast(job))
        ? job.with("state", isOver ? JobState.FAILED : JobState.STOPPING)
        : job;
  }

  /**
   * Retries a job that ended without success: with a new split if it was never split, with its
   * failed and cancelled children, or with the merge if there are none.
   *
   * @param version of the row when the retry was decided
   * @param newSplit {@code null} unless the job was never split
   */
  public static JobRow retried(JobRow job, long version, TaskId newSplit) {
    if (job.version() != version
        || (job.state() != JobState.FAILED && job.state() != JobState.CANCELLED)) {
      return job;
    }
    JobRow split =
        job.total() == null
            ? job.with("state", JobState.SPLITTING)
                .with("splitTask", newSplit)
                .with("staged", 0)
                .with("stagedEpoch", 0)
            : job.with("state", job.done() < job.total() ? JobState.RETRYING : afterChildren(job));
    return split
        .with("stopAs", JobState.FAILED)
        .with("pause", JobPause.NONE)
        .with("revived", 0)
        .with("mergeTask", null)
        .with("errMsg", null)
        .with("runTime", job.now())
        .with("runBase", job.done())
        .with("endTime", null);
  }

  /**
   * Advances a retry from one child index to another, if it is at {@code from} and not paused. The
   * last page lets the job run, unless the first children have ended again.
   */
  public static JobRow revived(JobRow job, int from, int to) {
    return job.state() == JobState.RETRYING && job.pause() == JobPause.NONE && job.revived() == from
        ? judged(
            job.with("revived", to)
                .with("state", to == job.released() ? JobState.RUNNING : JobState.RETRYING))
        : job;
  }

  /**
   * A changed row as it is written: each change has a version of its own, and a final state the
   * time of its end. A successful job keeps the time of its change; an operator may still change
   * the status of its children.
   */
  public static JobRow written(JobRow changed) {
    boolean isFinal = changed.state().isFinal();
    boolean hadEnded = changed.endTime() != null;
    return changed
        .with("version", changed.version() + 1)
        .with(
            "modifyTime",
            hadEnded && changed.state() == JobState.SUCCESS ? changed.modifyTime() : changed.now())
        .with("endTime", isFinal ? (hadEnded ? changed.endTime() : (Long) changed.now()) : null);
  }
}
