package io.asyncflow.flowsvr.compose.job.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.compose.job.HandDrivenServer;
import io.asyncflow.flowsvr.compose.job.Jobs;
import io.asyncflow.flowsvr.compose.job.steps.JobSteps;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskType;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What a server counts of the jobs that end. */
@HandDrivenServer
@Tag("contract")
class JobMetersIT {

  @Autowired Given given;
  @Autowired JobSteps steps;
  @Autowired MeterRegistry registry;
  @Autowired JdbcClient jdbc;
  @LocalServerPort int port;
  private Jobs jobs;
  private TaskType book;

  @BeforeEach
  void aType() {
    jobs = new Jobs(port);
    book = given.aType().with("max_processing_time", 600).with("lease_seconds", 600).create();
  }

  @Test
  void endsOfATypeAreCountedFromItsFirstJobOn() {
    jobs.create(book);
    assertThat(ended()).containsExactly(0, 0, 0);
    assertThat(registry.get("asyncflow.jobs.life").tag("type", book.name()).timer().count())
        .isZero();
  }

  @Test
  void jobThatIsCancelledIsCountedOnceAndHasNoLife() {
    String id = jobs.create(book);
    jobs.jobs.cancelJob(id);
    assertThat(ended()).as("stopping").containsExactly(0, 0, 0);
    steps.advance(Long.parseLong(id));
    assertThat(jobs.get(id).state()).isEqualTo(JobState.CANCELLED);
    jobs.jobs.cancelJob(id);
    assertThat(ended()).containsExactly(0, 0, 1);
    assertThat(registry.get("asyncflow.jobs.life").tag("type", book.name()).timer().count())
        .isZero();
  }

  @Test
  void jobThatFailsIsCountedAgainWhenItFailsAgain() {
    String id = released();
    jdbc.sql("UPDATE t_job SET create_time = create_time - 90000000 WHERE id = ?")
        .param(id)
        .update();
    jobs.success(jobs.hold(book.name(), "child"), "[0]");
    assertThat(ended()).as("running").containsExactly(0, 0, 0);
    Task other = jobs.hold(book.name(), "child");
    jobs.fail(other, "no");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.FAILED);
    assertThat(ended()).containsExactly(0, 1, 0);
    long end = jobs.get(id).endTime();
    new Wire(port).post("/api/task/retry", "{'taskId':'" + other.taskId() + "','operator':'ann'}");
    jobs.fail(jobs.hold(book.name(), "child"), "no");
    assertThat(ended()).as("a child that runs after the end").containsExactly(0, 1, 0);
    assertThat(jobs.get(id).endTime()).isEqualTo(end);
    jobs.jobs.retryJob(id);
    steps.advance(Long.parseLong(id));
    jobs.fail(jobs.hold(book.name(), "child"), "no");
    assertThat(ended()).containsExactly(0, 2, 0);
    assertThat(
            registry
                .get("asyncflow.jobs.life")
                .tag("type", book.name())
                .timer()
                .totalTime(TimeUnit.HOURS))
        .isBetween(50.0, 51.0);
  }

  @Test
  void successIsCountedWithTheMerge() {
    String id = released();
    jobs.success(jobs.hold(book.name(), "child"), "[0]");
    jobs.success(jobs.hold(book.name(), "child"), "[0]");
    steps.advance(Long.parseLong(id));
    assertThat(ended()).as("merging").containsExactly(0, 0, 0);
    jobs.success(jobs.hold(book.name(), "merge"), "whole");
    assertThat(jobs.get(id).state()).isEqualTo(JobState.SUCCESS);
    assertThat(ended()).containsExactly(1, 0, 0);
  }

  private String released() {
    NewJob job = NewJob.of(book.name(), "ann", "").withFailurePolicy(FailurePolicy.FINISH);
    String id = jobs.jobs.createJob(job);
    Task split = jobs.hold(book.name(), "split");
    jobs.stage(split, 0, 2);
    jobs.success(split, null);
    steps.advance(Long.parseLong(id));
    return id;
  }

  private List<Integer> ended() {
    return List.of(ended("success"), ended("failed"), ended("cancelled"));
  }

  private int ended(String state) {
    Counter ended =
        registry.get("asyncflow.jobs.ended").tag("type", book.name()).tag("state", state).counter();
    return (int) ended.count();
  }
}
