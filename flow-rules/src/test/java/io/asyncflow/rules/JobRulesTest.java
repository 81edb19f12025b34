package io.asyncflow.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.TaskStatus;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JobRulesTest {

  private static final long NOW = 1_000;
  private static final TaskTable TABLE = new TaskTable(new TaskType("book"), 1);
  private static final TaskId SPLIT = new TaskId(90, TABLE);
  private static final TaskId MERGE = new TaskId(91, TABLE);

  private static JobRow jobOf(int children, FailurePolicy policy) {
    List<JobChild> list = Collections.nCopies(children, new JobChild("page", "", null));
    NewJob job = new NewJob("ann", "book", "", 0, null, policy, "book", null, null, list, false);
    return JobRow.of(7, job, 0, null, null, null, children, NOW).with("released", children);
  }

  private static JobRow splitJob(boolean merges) {
    NewJob job =
        new NewJob(
            "ann", "book", "", 0, null, FailurePolicy.FINISH, "book", null, null, null, merges);
    return JobRow.of(7, job, 0, null, null, SPLIT, null, NOW)
        .with("staged", 5)
        .with("stagedEpoch", 2);
  }

  private static TaskTransition end(TaskId id, int index, TaskStatus status) {
    TaskRow row =
        TaskRow.waiting(
            id,
            "ann",
            "page",
            0,
            0,
            null,
            null,
            null,
            "",
            "",
            new JobPlace(7, index),
            null,
            null,
            NOW);
    return TaskTransition.forced(row, row.copy().status(status).leaseEpoch(2).result("made").row());
  }

  private static JobRow after(JobRow job, TaskStatus... ends) {
    return JobRules.after(
        job,
        IntStream.range(0, ends.length)
            .mapToObj(i -> end(new TaskId(i, TABLE), i, ends[i]))
            .toList());
  }

  @Test
  void lastChildEndsAJobWithoutAMerge() {
    JobRow one = after(jobOf(2, FailurePolicy.FINISH), TaskStatus.SUCCESS);
    assertThat(one.state()).isEqualTo(JobState.RUNNING);
    assertThat(JobRules.written(one).endTime()).isNull();
    JobRow all = JobRules.written(after(one, TaskStatus.SUCCESS));
    assertThat(all.state()).isEqualTo(JobState.SUCCESS);
    assertThat(all.endTime()).isEqualTo(NOW);
    assertThat(all.done()).isEqualTo(2);
  }

  @Test
  void failedChildEndsAJobThatFinishesWithTheLastOne() {
    JobRow job = after(jobOf(2, FailurePolicy.FINISH), TaskStatus.FAILED);
    assertThat(job.state()).isEqualTo(JobState.RUNNING);
    assertThat(after(job, TaskStatus.SUCCESS).state()).isEqualTo(JobState.FAILED);
  }

  @Test
  void failedChildStopsAJobThatFailsFast() {
    JobRow job = after(jobOf(3, FailurePolicy.FAIL_FAST), TaskStatus.FAILED);
    assertThat(job.state()).isEqualTo(JobState.STOPPING);
    assertThat(after(job, TaskStatus.CANCELLED, TaskStatus.CANCELLED).state())
        .isEqualTo(JobState.FAILED);
    assertThat(after(JobRules.stopped(job), TaskStatus.CANCELLED, TaskStatus.CANCELLED).state())
        .isEqualTo(JobState.CANCELLED);
  }

  @Test
  void jobRunsTheChildrenThatTheHoldOfItsSplitHasStaged() {
    List<TaskTransition> split = List.of(end(SPLIT, JobPlace.SPLIT, TaskStatus.SUCCESS));
    JobRow job = JobRules.after(splitJob(true), split);
    assertThat(job.state()).isEqualTo(JobState.RUNNING);
    assertThat(job.total()).isEqualTo(5);
    JobRow empty = JobRules.after(splitJob(true).with("stagedEpoch", 1), split);
    assertThat(empty.state()).isEqualTo(JobState.MERGING);
    assertThat(empty.total()).isZero();
    assertThat(JobRules.after(job, split)).as("told again").isSameAs(job);
  }

  @Test
  void resultOfTheMergeIsThatOfTheJob() {
    JobRow job =
        splitJob(true).with("total", 5).with("state", JobState.MERGING).with("mergeTask", MERGE);
    List<TaskTransition> merge = List.of(end(MERGE, JobPlace.MERGE, TaskStatus.SUCCESS));
    JobRow merged = JobRules.after(job, merge);
    assertThat(merged.state()).isEqualTo(JobState.SUCCESS);
    assertThat(merged.result()).isEqualTo("made");
    JobRow stopped = JobRules.after(JobRules.stopped(job), merge);
    assertThat(stopped.state()).isEqualTo(JobState.CANCELLED);
    assertThat(stopped.result()).isNull();
  }

  @Test
  void retryBeginsWithWhatIsLeft() {
    JobRow failed = after(jobOf(1, FailurePolicy.FINISH), TaskStatus.FAILED);
    JobRow retried = JobRules.retried(failed, failed.version(), null);
    assertThat(retried.state()).isEqualTo(JobState.RETRYING);
    assertThat(JobRules.revived(retried, 0, 1).state())
        .as("it has ended again")
        .isEqualTo(JobState.FAILED);
    assertThat(JobRules.retried(failed, failed.version() + 1, null)).isSameAs(failed);
    JobRow unsplit = splitJob(true).with("state", JobState.FAILED);
    assertThat(JobRules.retried(unsplit, 1, MERGE).splitTask()).isEqualTo(MERGE);
    assertThat(JobRules.retried(unsplit, 1, MERGE).staged()).isZero();
  }

  @Test
  void endOfASuccessfulJobKeepsItsTime() {
    JobRow done = JobRules.written(after(jobOf(1, FailurePolicy.FINISH), TaskStatus.SUCCESS));
    JobRow later =
        JobRules.written(
            JobRules.after(done.with("now", NOW + 9), List.of(end(SPLIT, 0, TaskStatus.FAILED))));
    assertThat(later.state()).isEqualTo(JobState.SUCCESS);
    assertThat(later.endTime()).isEqualTo(NOW);
    assertThat(later.modifyTime()).isEqualTo(NOW);
    assertThat(later.version()).isEqualTo(done.version() + 1);
  }
}
