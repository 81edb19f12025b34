package io.asyncflow.flowsvr.compose.job.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RowsRead;
import io.asyncflow.flowsvr.compose.job.HandDrivenServer;
import io.asyncflow.flowsvr.compose.job.JobCopies;
import io.asyncflow.flowsvr.compose.job.Jobs;
import io.asyncflow.flowsvr.compose.job.steps.JobSteps;
import io.asyncflow.flowsvr.compose.job.upkeep.JobRetentionStore.Retention;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskType;
import java.io.IOException;
import java.io.Reader;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** What is left of jobs some days after they have ended. */
@HandDrivenServer
@Tag("contract")
class JobRetentionIT {

  private static final Duration KEPT = Duration.ofDays(10);

  @Autowired Given given;
  @Autowired JobSteps steps;
  @Autowired JobRetention retention;
  @Autowired JobRetentionStore store;
  @Autowired JdbcClient jdbc;
  @Autowired TransactionTemplate transaction;
  @LocalServerPort int port;
  private Jobs jobs;
  private TaskType book;

  @BeforeEach
  void aType() {
    jobs = new Jobs(port);
    book =
        given
            .aType()
            .with("max_processing_time", 600)
            .with("lease_seconds", 600)
            .with("retention_days", KEPT.toDays())
            .create();
  }

  @Test
  void jobIsDeletedSomeDaysAfterItsEndWithAllThatBelongsToIt() {
    String id = cancelled(NewJob.of(book.name(), "ann", "text"), 1_200);
    String child = jobs.tasks(id).get(0).taskId();
    older(id, KEPT.minusMinutes(1));
    retention.runOnce();
    assertThat(jobs.get(id).state()).isEqualTo(JobState.CANCELLED);

    older(id, Duration.ofMinutes(2));
    retention.runOnce();
    assertGone(() -> jobs.get(id));
    assertGone(() -> jobs.jobs.retryJob(id));
    assertGone(() -> jobs.jobs.cancelJob(id));
    assertGone(() -> jobs.jobs.openJobInput(id));
    assertThat(List.of(rows("t_job_input", id), rows("t_job_task", id), rows("t_job_gone", id)))
        .containsOnly(0);
    assertThat(jobs.client.getTask(child).jobId()).as("a task goes with its table").isEqualTo(id);
  }

  @Test
  void jobOfATypeThatIsKeptForEverStays() {
    given.change(book, "retention_days", 0);
    String id = cancelled(NewJob.of(book.name(), "ann", "text"), 1);
    older(id, Duration.ofDays(4_000));
    retention.runOnce();
    assertThat(jobs.get(id).state()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void jobThatWasRetriedInTimeStays() {
    String id = cancelled(NewJob.of(book.name(), "ann", "text"), 1);
    older(id, KEPT.plusDays(1));
    jobs.jobs.retryJob(id);
    retention.runOnce();
    assertThat(jobs.get(id).state()).isEqualTo(JobState.RETRYING);
    assertThat(store.delete(List.of(number(id)), book, new Retention(KEPT, KEPT))).isZero();
  }

  @Test
  void killAfterTheRowWasDeletedLeavesTheRestToTheNextRound() {
    String id = cancelled(NewJob.of(book.name(), "ann", "text"), 700);
    older(id, KEPT.plusDays(1));
    assertThat(store.delete(List.of(number(id)), book, new Retention(KEPT, KEPT))).isEqualTo(1);
    assertGone(() -> jobs.jobs.retryJob(id));
    assertThat(rows("t_job_task", id)).isEqualTo(700);
    assertThat(store.clear(number(id), 500)).isFalse();

    retention.runOnce();
    assertThat(List.of(rows("t_job_input", id), rows("t_job_task", id), rows("t_job_gone", id)))
        .containsOnly(0);
  }

  @Test
  void keyIsGoodForSevenDaysWhateverTheRetention() {
    given.change(book, "retention_days", 1);
    NewJob job = NewJob.of(book.name(), "ann", "text").withIdempotencyKey("moby-dick");
    String id = cancelled(job, 1);
    older(id, Duration.ofDays(6));
    retention.runOnce();
    assertThat(jobs.jobs.createJob(job)).isEqualTo(id);

    older(id, Duration.ofDays(2));
    retention.runOnce();
    assertThat(jobs.jobs.createJob(job)).as("the key is free").isNotEqualTo(id);
  }

  @Test
  void inputOfAJobThatSucceededGoesTheNextDay() throws IOException {
    String id = succeeded();
    String other = cancelled(NewJob.of(book.name(), "ann", "text"), 1);
    older(id, Duration.ofHours(23));
    retention.runOnce();
    try (Reader input = jobs.jobs.openJobInput(id)) {
      assertThat(input.read()).isEqualTo('o');
    }
    older(id, Duration.ofHours(2));
    older(other, Duration.ofDays(2));
    retention.runOnce();
    assertThatThrownBy(() -> jobs.jobs.openJobInput(id))
        .isInstanceOf(FlowException.class)
        .hasMessageContaining("the input of job " + id + " was deleted");
    assertThat(rows("t_job_input", id)).isZero();
    assertThat(rows("t_job_input", other)).as("a retry may need it").isEqualTo(1);
    assertThat(jobs.get(id).result()).isEqualTo("whole");
    assertThat(jobs.tasks(id)).hasSize(1);
  }

  @Test
  void roundDeletesMoreThanAPageOfJobsAndOfInputs() {
    String id = succeeded();
    JobCopies.of(jdbc, number(id), 510, "end_time = end_time - 172800000");
    retention.runOnce();
    assertThat(copiesOf(id, "input_kept = 1")).isZero();
    assertThat(copiesOf(id, "input_kept = 0")).isEqualTo(510);

    given.change(book, "retention_days", 1);
    retention.runOnce();
    assertThat(copiesOf(id, "id > 0")).isZero();
    assertThat(jobs.get(id).state()).isEqualTo(JobState.SUCCESS);
  }

  @Test
  void jobsWhoseKeysAreKeptAreLookedAtOnce() {
    given.change(book, "retention_days", 1);
    String id = cancelled(NewJob.of(book.name(), "ann", "text"), 1);
    transaction.executeWithoutResult(
        status -> {
          status.setRollbackOnly();
          JobCopies.of(
              jdbc, number(id), 2_000, "end_time = end_time - 172800000, idempotency_key = id");
          retention.runOnce();
          assertThat(RowsRead.by(jdbc, retention::runOnce)).isLessThanOrEqualTo(500);

          older(id, Duration.ofHours(25));
          retention.runOnce();
          assertThat(rowsOfJob(id)).isZero();
          assertThat(copiesOf(id, "id > 0")).as("their keys are kept").isEqualTo(2_000);

          jdbc.sql("UPDATE t_job SET end_time = end_time - 432000000 WHERE id BETWEEN ? AND ?")
              .params(number(id) + 1, number(id) + 10)
              .update();
          retention.runOnce();
          assertThat(copiesOf(id, "id > 0")).as("ten keys are seven days old").isEqualTo(1_990);
        });
  }

  private int copiesOf(String id, String condition) {
    return jdbc.sql("SELECT COUNT(*) FROM t_job WHERE job_type = ? AND id <> ? AND " + condition)
        .params(book.name(), number(id))
        .query(Integer.class)
        .single();
  }

  @Test
  void splitThatAnOperatorLetsRunAgainAfterItsJobIsToldSo() {
    String id = jobs.create(book);
    jobs.fail(jobs.hold(book.name(), "split"), "unreadable");
    String split = jobs.get(id).splitTaskId();
    older(id, KEPT.plusDays(1));
    retention.runOnce();
    Wire wire = new Wire(port);
    assertThat(wire.post("/api/task/retry", "{'taskId':'" + split + "','operator':'ann'}").code())
        .isZero();
    Task again = jobs.hold(book.name(), "split");
    assertGone(() -> jobs.stage(again, 0, 1));
    assertThat(jobs.fail(again, "its job is no more")).isEqualTo(ReportResult.Verdict.ACCEPTED);
  }

  private String cancelled(NewJob job, int children) {
    String id = split(job, children);
    jobs.jobs.cancelJob(id);
    steps.advance(number(id));
    assertThat(jobs.get(id).state()).isEqualTo(JobState.CANCELLED);
    return id;
  }

  private String succeeded() {
    String id = split(NewJob.of(book.name(), "ann", "one"), 1);
    jobs.success(jobs.hold(book.name(), "child"), "[0]");
    steps.advance(number(id));
    jobs.success(jobs.hold(book.name(), "merge"), "whole");
    return id;
  }

  private String split(NewJob job, int children) {
    String id = jobs.jobs.createJob(job);
    Task split = jobs.hold(book.name(), "split");
    jobs.stage(split, 0, children);
    jobs.success(split, null);
    steps.advance(number(id));
    return id;
  }

  /** All of the job happened that much earlier. */
  private void older(String id, Duration by) {
    jdbc.sql(
            """
            UPDATE t_job
            SET create_time = create_time - :by,
                end_time = end_time - :by
            WHERE id = :id
            """)
        .param("by", by.toMillis())
        .param("id", id)
        .update();
  }

  private int rowsOfJob(String id) {
    return jdbc.sql("SELECT COUNT(*) FROM t_job WHERE id = ?")
        .param(number(id))
        .query(Integer.class)
        .single();
  }

  private int rows(String table, String id) {
    return jdbc.sql("SELECT COUNT(*) FROM " + table + " WHERE job_id = ?")
        .param(id)
        .query(Integer.class)
        .single();
  }

  private static long number(String id) {
    return Long.parseLong(id);
  }

  private static void assertGone(Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            FlowException.class, e -> assertThat(e.errorCode()).isEqualTo(ErrorCode.NO_SUCH_JOB));
  }
}
