package io.asyncflow.flowsvr.compose.job.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.JobProgress;
import io.asyncflow.api.JobState;
import io.asyncflow.rules.JobPause;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import org.junit.jupiter.api.Test;

class JobSnapshotTest {

  private static final long BEGAN = 1_000_000;

  /** Its children began to run ten seconds ago. */
  private static JobRow job(JobState state, Integer total, int done, int failed, int before) {
    TaskType type = new TaskType("book");
    return new JobRow(
        7,
        "ann",
        type,
        type,
        0,
        null,
        null,
        FailurePolicy.FINISH,
        0,
        true,
        state,
        JobState.FAILED,
        new TaskId(1, new TaskTable(type, 1)),
        0,
        0,
        total,
        total == null ? 0 : total,
        0,
        done,
        failed,
        0,
        null,
        null,
        null,
        total == null ? null : BEGAN,
        before,
        42,
        BEGAN,
        BEGAN,
        null,
        JobPause.NONE,
        -1,
        true,
        null,
        null,
        BEGAN + 10_000);
  }

  private static JobProgress seen(JobRow job, int running, long percent) {
    return JobSnapshot.of(job, running, percent).progress();
  }

  @Test
  void jobThatIsNotSplitHasNothingToTell() {
    JobProgress progress = seen(job(JobState.SPLITTING, null, 0, 0, 0), 0, 0);
    assertThat(progress.percent()).isZero();
    assertThat(progress.rate()).isNull();
    assertThat(progress.estimatedEnd()).isNull();
  }

  @Test
  void childrenUnderWayCountForWhatTheySayTheyAre() {
    assertThat(seen(job(JobState.RUNNING, 10, 2, 1, 0), 2, 150).percent()).isEqualTo(45);
  }

  @Test
  void itIsWholeOnlyWhenAllHaveEnded() {
    assertThat(seen(job(JobState.RUNNING, 2, 1, 0, 0), 1, 100).percent()).isEqualTo(99);
    assertThat(seen(job(JobState.MERGING, 2, 2, 0, 0), 0, 0).percent()).isEqualTo(100);
  }

  @Test
  void rateIsThatSinceTheChildrenBeganToRun() {
    JobProgress progress = seen(job(JobState.RUNNING, 100, 24, 1, 0), 0, 0);
    assertThat(progress.rate()).isEqualTo(2.5);
    assertThat(progress.estimatedEnd()).isEqualTo(BEGAN + 10_000 + 30_000);
  }

  @Test
  void retryBeginsToCountAnew() {
    JobProgress progress = seen(job(JobState.RUNNING, 100, 60, 0, 50), 0, 0);
    assertThat(progress.rate()).isEqualTo(1.0);
    assertThat(progress.estimatedEnd()).isEqualTo(BEGAN + 10_000 + 40_000);
    assertThat(seen(job(JobState.RETRYING, 100, 50, 0, 50), 0, 0).rate()).isNull();
  }

  @Test
  void timeThatPassesIsNoNews() {
    JobSnapshot first = JobSnapshot.of(job(JobState.RUNNING, 100, 24, 1, 0), 0, 0);
    JobSnapshot later = new JobSnapshot(43, first.progress());
    assertThat(later.sameAs(first)).isTrue();
    assertThat(first.sameAs(null)).isFalse();
    assertThat(JobSnapshot.of(job(JobState.RUNNING, 100, 25, 1, 0), 0, 0).sameAs(first)).isFalse();
  }
}
