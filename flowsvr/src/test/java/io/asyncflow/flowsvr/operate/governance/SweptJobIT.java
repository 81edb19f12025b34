package io.asyncflow.flowsvr.operate.governance;

import static java.util.concurrent.TimeUnit.HOURS;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Job;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.UnsweptServer;
import io.asyncflow.flowsvr.compose.job.Jobs;
import io.asyncflow.flowsvr.queue.lease.ExpiredLeaseSweep;
import io.asyncflow.rules.TaskType;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Tasks of jobs whose workers died. */
@UnsweptServer
@Tag("contract")
class SweptJobIT {

  @Autowired Given given;
  @Autowired ExpiredLeaseSweep sweep;
  @Autowired InvariantAuditor auditor;
  @LocalServerPort int port;

  @BeforeEach
  void repairWhatTestsBeforeLeft() {
    auditor.runOnce();
  }

  @Test
  void childrenThatASweepFailsAreCounted() {
    Jobs jobs = new Jobs(port);
    TaskType book = given.aType().with("max_delivery", 1).create();
    String id = jobs.running(NewJob.of(book.name(), "ann", "text"), 3);
    List<Task> children = jobs.hold(book.name(), "child", 10);
    jobs.report(children.subList(0, 1), Jobs::done);
    for (int delivery = 1; delivery <= 2; delivery++) {
      assertThat(jobs.get(id).state()).isEqualTo(JobState.RUNNING);
      children.subList(1, 3).forEach(child -> given.letPass(1, HOURS, child));
      sweep.runOnce();
      jobs.holdNow(book.name(), "child", 10);
    }
    Job job = jobs.get(id);
    assertThat(job.state()).isEqualTo(JobState.FAILED);
    assertThat(List.of(job.done(), job.failed(), job.cancelled())).containsExactly(1, 2, 0);
    assertThat(jobs.tasks(id).get(2).errMsg()).startsWith("poison: 2 holds in a row");
  }

  @Test
  void splitWhoseWorkerDiedIsHeldByAnother() {
    Jobs jobs = new Jobs(port);
    TaskType book = given.aType().create();
    String id = jobs.create(book);
    Task split = jobs.hold(book.name(), "split");
    jobs.stage(split, 0, 5);
    given.letPass(1, HOURS, split);
    sweep.runOnce();
    Task again = jobs.hold(book.name(), "split");
    jobs.stage(again, 0, 2);
    jobs.success(again, null);
    assertThat(jobs.success(split, null)).isEqualTo(ReportResult.Verdict.REFUSED);
    assertThat(jobs.get(id).total()).isEqualTo(2);
  }
}
