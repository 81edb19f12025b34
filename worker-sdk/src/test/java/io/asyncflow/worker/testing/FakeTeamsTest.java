package io.asyncflow.worker.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.Copy;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.Team;
import io.asyncflow.api.WorkerInfo;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Teams and jobs without a split, on the fake server. */
class FakeTeamsTest {

  private Instant now = Instant.parse("2026-03-01T12:00:00Z");
  private final InstantSource clock = () -> now;
  private final FakeFlowServer server = FakeFlowServer.at(clock).withType("cache");

  private void beat(String... workers) {
    WorkerInfo info =
        new WorkerInfo(
            "host",
            "1",
            null,
            List.of("cache/clean"),
            Map.of(),
            null,
            null,
            null,
            null,
            null,
            null,
            null);
    for (String worker : workers) {
      server.heartbeat(new Heartbeat(worker, List.of(), info));
    }
  }

  private void pass(Duration time) {
    now = now.plus(time);
    server.tick();
  }

  private String create(Team team) {
    return server.jobs().createJob(NewJob.ofTeam("cache", "ops", team));
  }

  private List<Task> held(String worker) {
    return server.hold(new HoldRequest("cache", 10, worker, 0, null, List.of("clean"))).tasks();
  }

  private void end(String worker, Outcome outcome) {
    Task copy = held(worker).get(0);
    server.report(List.of(Report.of(copy.taskId(), worker, copy.leaseEpoch(), outcome)));
  }

  private JobState state(String id) {
    return server.jobs().getJob(id).state();
  }

  private List<String> workersOf(String id) {
    return server.jobs().getJobTasks(id, 100, null).taskList().stream()
        .map(JobTask::workerId)
        .toList();
  }

  @Test
  void copiesGoToDistinctWorkersAndTheRestWaits() {
    beat("a", "b");
    String id = create(Team.of(3, "clean", "x"));
    assertThat(held("a")).extracting(Task::copy).containsExactly(new Copy(0, 3));
    assertThat(held("a")).isEmpty();
    end("b", Outcome.SUCCESS);
    beat("c");
    end("c", Outcome.SUCCESS);
    assertThat(state(id)).isEqualTo(JobState.RUNNING);
    assertThat(workersOf(id)).containsExactly("a", "b", "c");
  }

  @Test
  void copyMovesAfterAFailureUntilNoWorkerIsLeft() {
    beat("a", "b");
    String id = create(Team.of(1, "clean", ""));
    end("a", Outcome.FAIL);
    assertThat(state(id)).isEqualTo(JobState.RUNNING);
    end("b", Outcome.FAIL);
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }

  @Test
  void copyOfASilentWorkerMovesOrIsCancelled() {
    beat("a");
    String one = create(Team.of(1, "clean", ""));
    String all = create(Team.ofAll("clean", ""));
    pass(Duration.ofSeconds(61));
    assertThat(state(all)).isEqualTo(JobState.FAILED);
    assertThat(state(one)).isEqualTo(JobState.RUNNING);
    beat("b");
    end("b", Outcome.SUCCESS);
    assertThat(state(one)).isEqualTo(JobState.SUCCESS);
  }

  @Test
  void teamOfAllNeedsAWorker() {
    assertThatThrownBy(() -> create(Team.ofAll("clean", ""))).isInstanceOf(FlowException.class);
  }

  @Test
  void fireOfATeamOfAllWithoutAWorkerIsRefused() {
    NewSchedule hourly =
        NewSchedule.every("s", Duration.ofHours(1))
            .anchor(now)
            .creating(NewJob.ofTeam("cache", "ops", Team.ofAll("clean", "")));
    String id = server.schedules().save(hourly).scheduleId();
    pass(Duration.ofHours(1));
    beat("a", "b");
    pass(Duration.ofMinutes(59));
    beat("a", "b");
    pass(Duration.ofMinutes(1).minusSeconds(30));
    beat("a", "b");
    pass(Duration.ofSeconds(30));
    assertThat(server.schedules().fires(id, 10, null).fireList())
        .extracting("outcome")
        .containsExactly(FireOutcome.CREATED, FireOutcome.REFUSED);
    end("a", Outcome.SUCCESS);
    end("b", Outcome.SUCCESS);
  }

  @Test
  void childrenOfACreateRunWithoutASplit() {
    String id =
        server
            .jobs()
            .createJob(
                NewJob.ofChildren("cache", "ops", List.of(new JobChild("clean", "x", null))));
    end("a", Outcome.SUCCESS);
    assertThat(state(id)).isEqualTo(JobState.SUCCESS);
  }

  @Test
  void workerTellsItsHandlerWhichCopyItRuns() throws Exception {
    FakeFlowServer real = new FakeFlowServer().withType("cache");
    Worker.Builder copies =
        Worker.builder()
            .client(real)
            .handler("cache", "clean", copy -> StageResult.done(copy.copy().orElseThrow()));
    try (Worker worker = copies.build()) {
      worker.start();
      assertThat(real.awaitHeartbeats(1, Duration.ofSeconds(30))).isTrue();
      String id = real.jobs().createJob(NewJob.ofTeam("cache", "ops", Team.ofAll("clean", "")));
      String task = real.jobs().getJobTasks(id, 1, null).taskList().get(0).taskId();
      assertThat(real.awaitStatus(task, TaskStatus.SUCCESS, Duration.ofSeconds(30))).isTrue();
      assertThat(real.getTask(task).result()).isEqualTo("{\"index\":0,\"total\":1}");
    }
  }
}
