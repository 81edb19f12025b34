package io.asyncflow.rules;

import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.RecordCopy;
import io.asyncflow.api.Team;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A row of {@code t_job} as it was read; components are named as their columns.
 *
 * @param window the most children in flight; {@code null} for no limit
 * @param fire the fire that created it; {@code null} if no schedule did
 * @param stopAs what {@code STOPPING} ends as
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
    JobState stopAs,
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

  /**
   * A new job.
   *
   * @param created with valid fields, of which none is left to a default
   * @param fire {@code null} if no schedule creates it
   * @param traceParent of the call that creates it; {@code null} for none
   * @param split {@code null} for a job that runs at once
   * @param children the number of children of a job that runs at once; {@code null} with a split
   * @param now epoch ms
   */
  public static JobRow of(
      long id,
      NewJob created,
      int inputBytes,
      FireId fire,
      String traceParent,
      TaskId split,
      Integer children,
      long now) {
    return new JobRow(
        id,
        created.userId(),
        TaskType.parse(created.jobType()).orElseThrow(),
        TaskType.parse(created.childType()).orElseThrow(),
        created.priority(),
        created.window(),
        fire,
        created.failurePolicy(),
        inputBytes,
        true,
        children == null ? JobState.SPLITTING : JobState.RUNNING,
        JobState.FAILED,
        split,
        children == null ? 0 : children,
        0,
        children,
        0,
        0,
        0,
        0,
        0,
        null,
        null,
        null,
        children == null ? null : (Long) now,
        0,
        1,
        now,
        now,
        null,
        JobPause.NONE,
        -1,
        created.merges(),
        created.team() == null ? null : created.team().withoutContext(),
        traceParent,
        now);
  }

  public JobCounts counts() {
    return new JobCounts(done, failed, cancelled);
  }

  /** The same with other counts. */
  public JobRow counting(JobCounts counts) {
    return RecordCopy.with(
        this,
        Map.of("done", counts.done(), "failed", counts.failed(), "cancelled", counts.cancelled()));
  }

  /** The same with another value of a component. */
  JobRow with(String component, Object value) {
    return RecordCopy.with(this, component, value);
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
