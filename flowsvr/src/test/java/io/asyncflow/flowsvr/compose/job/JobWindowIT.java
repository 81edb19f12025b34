package io.asyncflow.flowsvr.compose.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.compose.job.steps.JobCatchUp;
import io.asyncflow.flowsvr.compose.job.steps.JobSteps;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskType;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** The window of a job, on a server that takes no step of a job unless the test does. */
@HandDrivenServer
@Tag("contract")
class JobWindowIT {

  @Autowired Given given;
  @Autowired JobSteps steps;
  @Autowired JobCatchUp catchUp;
  @Autowired JdbcClient jdbc;
  @Autowired TransactionTemplate transactions;
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
            .with("retry_interval", 0)
            .create();
  }

  private String windowed(int window, int children) {
    return windowed(NewJob.of(book.name(), "ann", "").withWindow(window), children);
  }

  /** A job whose split has reported so many children, none of which is released yet. */
  private String windowed(NewJob job, int children) {
    String id = jobs.jobs.createJob(job);
    Task split = jobs.hold(book.name(), "split");
    jobs.stage(split, 0, children);
    jobs.success(split, null);
    return id;
  }

  private void advance(String id) {
    steps.advance(Long.parseLong(id));
  }

  private long tasksOf(String id) {
    return jobs.tasks(id).stream().filter(task -> task.taskId() != null).count();
  }

  private List<Task> holdAll() {
    return jobs.holdNow(book.name(), "child", 1_000);
  }

  @Test
  void noMoreChildrenAreTasksThanTheWindowAllows() {
    String id = windowed(3, 8);
    advance(id);
    assertThat(tasksOf(id)).isEqualTo(3);

    List<Task> first = holdAll();
    jobs.report(first.subList(0, 2), Jobs::done);
    advance(id);
    assertThat(tasksOf(id)).as("two have ended, two more may run").isEqualTo(5);

    jobs.fail(first.get(2), "a child that failed has ended, too");
    advance(id);
    assertThat(tasksOf(id)).isEqualTo(6);
    assertThat(jobs.get(id).window()).isEqualTo(3);
  }

  @Test
  void childThatIsRetriedStaysInFlight() {
    String id = windowed(1, 3);
    advance(id);
    Task child = jobs.hold(book.name(), "child");
    jobs.report(List.of(child), t -> Jobs.reportOf(t, Outcome.RETRY, null, "again"));
    advance(id);
    assertThat(tasksOf(id)).isEqualTo(1);
    Task again = jobs.hold(book.name(), "child");
    assertThat(again.taskId()).isEqualTo(child.taskId());
    jobs.success(again, "0");
    advance(id);
    assertThat(tasksOf(id)).isEqualTo(2);
  }

  @Test
  void childThatIsPausedAloneKeepsItsPlaceUntilItEnds() {
    String id = windowed(1, 3);
    advance(id);
    String child = jobs.tasks(id).get(0).taskId();
    assertThat(act("pause", child).code()).isZero();
    advance(id);
    assertThat(tasksOf(id)).isEqualTo(1);
    assertThat(act("cancel", child).code()).isZero();
    advance(id);
    assertThat(tasksOf(id)).isEqualTo(2);
  }

  private Wire.Answer act(String act, String taskId) {
    return new Wire(port).post("/api/task/" + act, "{'taskId':'%s'}".formatted(taskId));
  }

  @Test
  void windowOfAPausedJobIsFilledAfterItsResume() {
    String id = windowed(2, 5);
    advance(id);
    jobs.jobs.pauseJob(id);
    advance(id);
    assertThat(holdAll()).isEmpty();
    assertThat(tasksOf(id)).isEqualTo(2);
    jobs.jobs.resumeJob(id);
    advance(id);
    jobs.report(holdAll(), Jobs::done);
    advance(id);
    assertThat(tasksOf(id)).isEqualTo(4);
  }

  @Test
  void windowedJobRunsToItsEndAndMerges() {
    String id = windowed(2, 5);
    for (int round = 0; round < 3; round++) {
      advance(id);
      List<Task> held = holdAll();
      assertThat(held).hasSizeBetween(1, 2);
      jobs.report(held, Jobs::done);
    }
    advance(id);
    jobs.success(jobs.hold(book.name(), "merge"), "whole");
    Job job = jobs.get(id);
    assertThat(job.state()).isEqualTo(JobState.SUCCESS);
    assertThat(List.of(job.done(), job.failed(), job.cancelled())).containsExactly(5, 0, 0);
  }

  @Test
  void windowBeyondAPageOfChildrenIsFilledInPages() {
    String id = windowed(700, 1_300);
    advance(id);
    assertThat(tasksOf(id)).isEqualTo(700);
  }

  @Test
  void serversThatReleaseAtOnceKeepTheWindow() {
    String id = windowed(10, 40);
    AtOnce.from(4, i -> steps.advance(Long.parseLong(id)));
    assertThat(tasksOf(id)).isEqualTo(10);
    jobs.report(holdAll(), Jobs::done);
    AtOnce.from(4, i -> steps.advance(Long.parseLong(id)));
    assertThat(tasksOf(id)).isEqualTo(20);
  }

  @Test
  void whatADeadServerDidNotReleaseIsReleasedByGovernance() {
    String id = windowed(2, 6);
    advance(id);
    jobs.report(holdAll(), Jobs::done); // its server dies here
    leftAlone(id);
    assertThat(catchUp.runOnce()).isPositive();
    assertThat(tasksOf(id)).isEqualTo(4);
  }

  @Test
  void jobWithAFullWindowIsNotAskedForByGovernance() {
    String id = windowed(2, 6);
    advance(id);
    leftAlone(id);
    long modified = modified(id);
    catchUp.runOnce();
    assertThat(modified(id)).isEqualTo(modified);
    assertThat(tasksOf(id)).isEqualTo(2);
  }

  @Test
  void retryOfAJobKeepsTheWindow() {
    String id = windowed(2, 5);
    advance(id);
    for (int child = 0; child < 5; child++) {
      Task task = jobs.hold(book.name(), "child");
      if (child % 2 == 0) {
        jobs.fail(task, "broken");
      } else {
        jobs.success(task, "whole");
      }
      advance(id);
    }
    assertThat(jobs.get(id).state()).isEqualTo(JobState.FAILED);

    jobs.jobs.retryJob(id);
    advance(id);
    List<Task> again = holdAll();
    assertThat(again).extracting(Task::taskContext).containsExactlyInAnyOrder("0", "2");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.RETRYING);
    jobs.success(again.get(0), "whole");
    advance(id);
    assertThat(jobs.hold(book.name(), "child").taskContext()).isEqualTo("4");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void lookForTheNextChildThatRunsAgainReadsNoneOfTheirTexts() {
    String id = windowed(1, 5);
    for (int child = 0; child < 5; child++) {
      advance(id);
      jobs.fail(jobs.hold(book.name(), "child"), "broken");
    }
    jdbc.sql(
            "UPDATE t_%s_task_1 SET schedule_log = REPEAT('x', 60000) WHERE job_id = ?"
                .formatted(book.name()))
        .param(id)
        .update();
    jobs.jobs.retryJob(id);
    advance(id);
    long sent =
        transactions.execute(
            status -> { // on one connection
              long before = bytesSent();
              advance(id);
              return bytesSent() - before;
            });
    assertThat(jobs.get(id).state()).isEqualTo(JobState.RETRYING);
    assertThat(sent).isLessThan(20_000);
  }

  private long bytesSent() {
    return jdbc.sql("SHOW SESSION STATUS LIKE 'Bytes_sent'")
        .query((rs, row) -> rs.getLong(2))
        .single();
  }

  @Test
  void retriedJobWhoseChildrenAllEndedGoesOn() {
    String id = windowed(1, 2);
    advance(id);
    jobs.fail(jobs.hold(book.name(), "child"), "broken");
    advance(id);
    jobs.fail(jobs.hold(book.name(), "child"), "broken");
    jobs.jobs.retryJob(id);
    advance(id);
    jobs.fail(jobs.hold(book.name(), "child"), "broken again");
    advance(id);
    jobs.success(jobs.hold(book.name(), "child"), "whole");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.FAILED);
    assertThat(jobs.get(id).failed()).isEqualTo(1);
  }

  @Test
  void failFastEndsAWindowedJob() {
    NewJob job = NewJob.of(book.name(), "ann", "").withWindow(2);
    String id = windowed(job.withFailurePolicy(FailurePolicy.FAIL_FAST), 6);
    advance(id);
    jobs.fail(jobs.hold(book.name(), "child"), "broken");
    advance(id);
    Job failed = jobs.get(id);
    assertThat(failed.state()).isEqualTo(JobState.FAILED);
    assertThat(List.of(failed.done(), failed.failed(), failed.cancelled()))
        .containsExactly(0, 1, 5);
    assertThat(jobs.tasks(id)).extracting(JobTask::status).containsExactly(8, 16, 16, 16, 16, 16);
  }

  @Test
  void windowIsPartOfWhatAKeyStandsFor() {
    NewJob job = NewJob.of(book.name(), "ann", "").withIdempotencyKey("k");
    String id = jobs.jobs.createJob(job.withWindow(3));
    assertThat(jobs.jobs.createJob(job.withWindow(3))).isEqualTo(id);
    assertThatThrownBy(() -> jobs.jobs.createJob(job))
        .isInstanceOfSatisfying(
            FlowException.class,
            e -> assertThat(e.errorCode()).isEqualTo(ErrorCode.IDEMPOTENCY_CONFLICT));
  }

  /** Lets the job's last change lie so far back that governance cares for the job. */
  private void leftAlone(String id) {
    jdbc.sql("UPDATE t_job SET modify_time = modify_time - 60000 WHERE id = ?").param(id).update();
  }

  private long modified(String id) {
    return jdbc.sql("SELECT modify_time FROM t_job WHERE id = ?")
        .param(id)
        .query(Long.class)
        .single();
  }
}
