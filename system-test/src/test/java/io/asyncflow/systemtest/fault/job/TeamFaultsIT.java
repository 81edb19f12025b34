package io.asyncflow.systemtest.fault.job;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.Team;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.WorkerNode;
import io.asyncflow.systemtest.history.Act;
import io.asyncflow.systemtest.history.Event;
import io.asyncflow.systemtest.history.Phase;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.worker.Script;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A team whose workers and server die. The number is a row of the matrix. */
@Tag("faults")
@Timeout(300)
class TeamFaultsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(180);
  private static final Duration SILENCE = Duration.ofSeconds(30);
  private static final String TYPE = "row41";

  /** The only stage that a copy has. */
  private static final String STAGE = "c";

  private static final int WORKERS = 5;
  private static final int COPIES = 6;
  private static final int KILLED = 4;

  private final List<WorkerNode> workers = new ArrayList<>();

  @Test
  void row41_eachCopyEndsOnceAndNoWorkerGetsTwoWhateverDies() {
    try (Cluster cluster = Cluster.startWithoutRedis("team-faults")) {
      Map<String, String> quick = Map.of("FLOW_TEAM_SILENCE", SILENCE.toSeconds() + "s");
      ServerNode leader = cluster.startServer(plan -> plan.withAll(quick));
      ServerNode other = cluster.startServer(plan -> plan.withAll(quick));
      try (Scenario scenario = Scenario.of(cluster, TYPE, TypePlan.quick())) {
        FlowClient client = scenario.client(other);
        for (int i = 0; i < WORKERS; i++) {
          workers.add(scenario.startWorker(i % 2 == 0 ? leader : other));
        }
        run(cluster, scenario, client, leader, other);
      }
    }
  }

  private void run(
      Cluster cluster, Scenario scenario, FlowClient client, ServerNode leader, ServerNode other) {
    await().atMost(PATIENCE).until(() -> knownWorkers(cluster) == WORKERS);
    Stopwatch watch = Stopwatch.start();
    kill(scenario, 0); // before its copy, and the servers do not know it yet
    Script slow = Script.smooth().with(STAGE, "SLEEP 8000");
    String id =
        client.jobs().createJob(NewJob.ofTeam(TYPE, "ops", Team.of(COPIES, STAGE, slow.json())));
    List<WorkerNode> living = List.copyOf(workers.subList(1, WORKERS));
    await().atMost(PATIENCE).until(() -> haveCopies(client, id, living, TaskStatus.EXECUTING));
    kill(scenario, 1); // in its copy
    scenario.fault("leader killed", leader::kill);
    List<WorkerNode> ofOther = List.of(workers.get(3));
    await().atMost(PATIENCE).until(() -> haveCopies(client, id, ofOther, TaskStatus.SUCCESS));
    kill(scenario, 3); // after its copy
    kill(scenario, 2); // whose report the leader would have got
    for (int i = 0; i < KILLED; i++) {
      workers.add(scenario.startWorker(other));
    }
    leader.start();
    leader.awaitReady();

    Job end =
        await()
            .atMost(PATIENCE)
            .pollInterval(Duration.ofMillis(200))
            .until(() -> client.jobs().getJob(id), job -> job.state().isFinal());
    Duration took = watch.elapsed();
    assertThat(end.state()).isEqualTo(JobState.SUCCESS);
    assertThat(List.of(end.done(), end.failed(), end.cancelled())).containsExactly(COPIES, 0, 0);
    List<JobTask> copies = client.jobs().getJobTasks(id, 100, null).taskList();
    assertThat(copies)
        .hasSize(COPIES)
        .allMatch(copy -> copy.status() == TaskStatus.SUCCESS.code())
        .allMatch(copy -> copy.result() != null);
    assertThat(copies).extracting(JobTask::workerId).doesNotHaveDuplicates();
    long lost = assertNoWorkerRanTwoCopies(scenario);
    Figures.print(
        "row 41: a team of %d copies on %d workers: one killed before its copy, one in it, one"
            + " before and one after its report, and the leader; %d results, no worker with two"
            + " copies, %d runs without a result; done %.1f s after the first kill (a worker is"
            + " silent after %d s)",
        COPIES, WORKERS, copies.size(), lost, seconds(took), SILENCE.toSeconds());
  }

  private static int knownWorkers(Cluster cluster) throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT COUNT(*) FROM t_worker_stage WHERE task_type = 'row41' AND task_stage = 'c'")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  /** Whether the copies of these workers have this status. */
  private static boolean haveCopies(
      FlowClient client, String id, List<WorkerNode> workers, TaskStatus status) {
    Set<String> found =
        client.jobs().getJobTasks(id, 100, null).taskList().stream()
            .filter(copy -> copy.status() == status.code())
            .map(JobTask::workerId)
            .collect(toSet());
    return workers.stream().map(WorkerNode::workerId).allMatch(found::contains);
  }

  private void kill(Scenario scenario, int number) {
    scenario.fault("worker killed", () -> workers.get(number).kill());
  }

  /** Returns the number of runs that did not end. */
  private static long assertNoWorkerRanTwoCopies(Scenario scenario) {
    List<Event> runs =
        scenario.history().events().stream()
            .filter(event -> event.act() == Act.RUN && event.phase() == Phase.INVOKE)
            .toList();
    Map<String, Set<String>> copies =
        runs.stream().collect(groupingBy(Event::process, mapping(Event::task, toSet())));
    assertThat(copies.values()).allMatch(ofWorker -> ofWorker.size() == 1);
    return runs.size() - COPIES;
  }
}
