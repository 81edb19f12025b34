package io.asyncflow.flowsvr.compose.job.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.compose.job.HandDrivenServer;
import io.asyncflow.flowsvr.compose.job.Jobs;
import io.asyncflow.flowsvr.compose.job.steps.JobSteps;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Jobs that say something else than their tasks' rows are made by hand here. Each test ends with
 * what the audit made of it, whoever ran it: the server audits, too.
 */
@HandDrivenServer
@Tag("contract")
class JobAuditIT {

  @Autowired Given given;
  @Autowired JobSteps steps;
  @Autowired JobAudit audit;
  @Autowired JdbcClient jdbc;
  @LocalServerPort int port;
  private Jobs jobs;
  private TaskType book;

  @BeforeEach
  void aType() {
    jobs = new Jobs(port);
    book = given.aType().with("max_processing_time", 600).with("lease_seconds", 600).create();
  }

  private void auditAll() {
    audit.runOnce(Duration.ZERO);
  }

  @Test
  void soundJobsAreLeftAlone() {
    String running = released(3, FailurePolicy.FINISH);
    jobs.success(jobs.hold(book.name(), "child"), "[0]");
    jobs.fail(jobs.hold(book.name(), "child"), "no");
    String stopping = released(2, FailurePolicy.FAIL_FAST);
    jobs.jobs.cancelJob(stopping);
    String merging = released(0, FailurePolicy.FINISH);
    steps.advance(number(merging));
    List<Long> before = List.of(version(running), version(stopping), version(merging));
    auditAll();
    assertThat(List.of(version(running), version(stopping), version(merging))).isEqualTo(before);
  }

  @Test
  void jobWhoseLastChildWasNotCountedIsMerged() {
    String id = released(2, FailurePolicy.FINISH);
    jobs.success(jobs.hold(book.name(), "child"), "[0]");
    Task last = jobs.hold(book.name(), "child");
    given.set(TaskId.parse(last.taskId()).orElseThrow(), "status = 4");
    auditAll();
    assertThat(jobs.get(id).state()).isEqualTo(JobState.MERGING);
    assertCounts(id, 2, 0, 0);
    steps.advance(number(id));
    assertThat(jobs.hold(book.name(), "merge").jobId()).isEqualTo(id);
  }

  @Test
  void jobThatHasCountedAChildTwiceWaitsForTheOther() {
    String id = released(3, FailurePolicy.FINISH);
    jobs.success(jobs.hold(book.name(), "child"), "[0]");
    jdbc.sql("UPDATE t_job SET done = 2 WHERE id = ?").param(id).update();
    auditAll();
    assertThat(jobs.get(id).state()).isEqualTo(JobState.RUNNING);
    assertCounts(id, 1, 0, 0);
  }

  @Test
  void jobThatStopsAndMissesAChildEnds() {
    String id = released(2, FailurePolicy.FINISH);
    TaskId lost = TaskId.parse(jobs.tasks(id).get(1).taskId()).orElseThrow();
    jdbc.sql("DELETE FROM %s WHERE id = ?".formatted("t_" + book.name() + "_task_1"))
        .param(lost.number())
        .update();
    jobs.jobs.cancelJob(id);
    steps.advance(number(id));
    auditAll();
    assertThat(jobs.get(id).state()).isEqualTo(JobState.CANCELLED);
    assertCounts(id, 0, 0, 2);
  }

  @Test
  void jobThatStopsEndsWithItsMergeAndNotBeforeIt() {
    String id = released(1, FailurePolicy.FINISH);
    jobs.success(jobs.hold(book.name(), "child"), "[0]");
    steps.advance(number(id));
    Task merge = jobs.hold(book.name(), "merge");
    jobs.jobs.cancelJob(id);
    auditAll();
    assertThat(jobs.get(id).state()).isEqualTo(JobState.STOPPING);
    steps.advance(number(id));
    assertThat(jobs.get(id).state()).isEqualTo(JobState.CANCELLED);
    assertThat(given.row(merge).status()).isEqualTo(TaskStatus.CANCELLED);
  }

  @Test
  void childThatAnOperatorLetsRunAfterTheEndOfItsJobIsNoneOfIt() {
    String id = released(1, FailurePolicy.FINISH);
    Task child = jobs.hold(book.name(), "child");
    jobs.fail(child, "no");
    new Wire(port).post("/api/task/retry", "{'taskId':'" + child.taskId() + "','operator':'ann'}");
    long before = version(id);
    auditAll();
    assertThat(version(id)).isEqualTo(before);
    assertCounts(id, 0, 0, 0);
  }

  @Test
  void jobWhoseSplitHasEndedUnseenGoesOn() {
    String done = jobs.create(book);
    Task split = jobs.hold(book.name(), "split");
    jobs.stage(split, 0, 2);
    given.set(TaskId.parse(split.taskId()).orElseThrow(), "status = 4");
    String failed = jobs.create(book);
    Task other = jobs.hold(book.name(), "split");
    given.set(TaskId.parse(other.taskId()).orElseThrow(), "status = 8");
    auditAll();
    assertThat(jobs.get(done).state()).isEqualTo(JobState.RUNNING);
    assertThat(jobs.get(done).total()).isEqualTo(2);
    assertThat(jobs.get(failed).state()).isEqualTo(JobState.FAILED);
  }

  @Test
  void jobWhoseMergeIsNoMoreFailsAndCanBeRetried() {
    String id = released(0, FailurePolicy.FINISH);
    steps.advance(number(id));
    TaskId merge = TaskId.parse(jobs.get(id).mergeTaskId()).orElseThrow();
    jdbc.sql("DELETE FROM %s WHERE id = ?".formatted("t_" + book.name() + "_task_1"))
        .param(merge.number())
        .update();
    auditAll();
    assertThat(jobs.get(id).state()).isEqualTo(JobState.FAILED);
    assertThat(jobs.get(id).errMsg()).contains(merge.toString());
    jobs.jobs.retryJob(id);
    steps.advance(number(id));
    jobs.success(jobs.hold(book.name(), "merge"), "whole");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.SUCCESS);
  }

  private String released(int children, FailurePolicy policy) {
    String id = jobs.jobs.createJob(NewJob.of(book.name(), "ann", "").withFailurePolicy(policy));
    Task split = jobs.hold(book.name(), "split");
    jobs.stage(split, 0, children);
    jobs.success(split, null);
    steps.advance(number(id));
    return id;
  }

  private static long number(String id) {
    return Long.parseLong(id);
  }

  private long version(String id) {
    return jdbc.sql("SELECT version FROM t_job WHERE id = ?").param(id).query(Long.class).single();
  }

  private void assertCounts(String id, int done, int failed, int cancelled) {
    Job job = jobs.get(id);
    assertThat(List.of(job.done(), job.failed(), job.cancelled()))
        .containsExactly(done, failed, cancelled);
  }
}
