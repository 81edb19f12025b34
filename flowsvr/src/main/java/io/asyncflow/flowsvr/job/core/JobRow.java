package io.asyncflow.flowsvr.job.core;

import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobState;
import io.asyncflow.api.Team;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Scoped;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A row of {@code t_job} as it was read; components are named as their columns.
 *
 * @param window the most children in flight; {@code null} for no limit
 * @param fire the fire that created it; {@code null} if no schedule did
 * @param total {@code null} until the split has reported
 * @param splitTask {@code null} if it has none
 * @param mergeTask {@code null} until there is one
 * @param runTime epoch ms; {@code null} until its children run
 * @param endTime epoch ms; {@code null} until it has ended
 * @param pauseCursor children below this index were paused, or wait again; -1 if nor were the split
 *     and the merge
 * @param merges whether a merge combines the results of its children
 * @param team {@code null} if it is no team
 * @param traceParent of the call that created it; {@code null} if that had none
 * @param now the database's epoch ms when the row was read
 */
public record JobRow(
    long id,
    String userId,
    TaskType jobType,
    TaskType childType,
    int priority,
    Integer window,
    FireId fire,
    FailurePolicy policy,
    int inputBytes,
    boolean inputKept,
    JobState state,
    TaskId splitTask,
    int staged,
    int stagedEpoch,
    Integer total,
    int released,
    int revived,
    int done,
    int failed,
    int cancelled,
    TaskId mergeTask,
    String result,
    String errMsg,
    Long runTime,
    int runBase,
    long version,
    long createTime,
    long modifyTime,
    Long endTime,
    JobPause pause,
    int pauseCursor,
    boolean merges,
    Team team,
    String traceParent,
    long now) {

  /** Whose it is: its user's, and of its type and that of its children. */
  public Scoped scoped() {
    return Scoped.of(userId, jobType.name(), childType.name());
  }

  /**
   * The job, if the caller sees it.
   *
   * @throws NoSuchJobException if it does not, as if there were no such job
   */
  public JobRow seenBy(Caller caller) {
    if (!caller.sees(scoped())) {
      throw new NoSuchJobException(id);
    }
    return this;
  }

  public JobCounts counts() {
    return new JobCounts(done, failed, cancelled);
  }

  /** The number of children that have ended. */
  public int ended() {
    return counts().sum();
  }

  /** The split and the merge, as far as there are any. */
  public List<TaskId> ownTasks() {
    return Stream.of(splitTask, mergeTask).filter(Objects::nonNull).toList();
  }

  public boolean isTeam() {
    return team != null;
  }

  /** Whether staged children still have to become tasks. */
  public boolean hasStaged() {
    return total != null && released < total;
  }

  /** How many more children may be in flight: tasks that have not ended, retries included. */
  public int room() {
    return window == null ? Integer.MAX_VALUE : Math.max(0, window - (released - ended()));
  }

  /** The cancelled children; in an ended job this includes children that never became tasks. */
  public int allCancelled() {
    return state.isFinal() && hasStaged() ? cancelled + total - released : cancelled;
  }

  /** The job in its wire format. */
  public Job toJob() {
    return new Job(
        "" + id,
        userId,
        jobType.name(),
        childType.name(),
        state,
        policy,
        priority,
        window,
        fire == null ? null : "" + fire.scheduleId(),
        fire == null ? null : fire.fireTime(),
        total,
        done,
        failed,
        allCancelled(),
        splitTask == null ? null : splitTask.toString(),
        mergeTask == null ? null : mergeTask.toString(),
        result,
        state == JobState.FAILED ? whyFailed() : null,
        createTime,
        modifyTime,
        endTime,
        pause == JobPause.PAUSED && !state.isFinal() ? Boolean.TRUE : null,
        merges,
        team);
  }

  private String whyFailed() {
    if (errMsg != null) {
      return errMsg;
    }
    if (failed + allCancelled() == 0) {
      return "its children failed, and have succeeded since: a retry of the job "
          + (merges ? "merges them" : "ends it");
    }
    return "%s of %s children failed, %s were cancelled".formatted(failed, total, allCancelled());
  }
}
