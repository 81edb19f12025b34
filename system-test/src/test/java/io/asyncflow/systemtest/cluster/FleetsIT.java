package io.asyncflow.systemtest.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.systemtest.check.FleetChecker;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.worker.Fleet;
import io.asyncflow.systemtest.worker.Script;
import io.asyncflow.worker.StageNeeds;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two fleets of worker processes, and one type whose stages belong to one or the other. */
@Tag("faults")
class FleetsIT {

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int TASKS = 120;

  /** Anybody, then two places of a GPU, then the other fleet again. */
  private static final Map<String, StageNeeds> NEEDS =
      Map.of(
          "b", StageNeeds.slots(2).on("gpu"),
          "c", StageNeeds.nothing().on("cpu"));

  private static final Fleet CPU = new Fleet(Map.of("cpu", "x86-64"), Map.of(), NEEDS);
  private static final Fleet GPU =
      new Fleet(Map.of("gpu", "H100"), Map.of("cuda:0", 3, "cuda:1", 4), NEEDS);

  private static Cluster cluster;
  private static ServerNode server;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.startWithoutRedis("fleets");
    server = cluster.startServers(1).get(0);
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @Test
  void stagesRunWhereTheirLabelsAreAndDevicesAreNeverLentBeyondTheirPlaces() {
    try (Scenario scenario = Scenario.of(cluster, "fleets", TypePlan.quick())) {
      WorkerNode victim = scenario.launchWorker(server, worker -> worker.in(GPU));
      IntStream.range(0, 2)
          .mapToObj(i -> scenario.launchWorker(server, worker -> worker.in(CPU)))
          .toList()
          .forEach(WorkerNode::awaitReady);
      victim.awaitReady();
      scenario.create(
          scenario.client(server), TASKS, Script.smooth().with("b", "SLEEP 30", "SLEEP 30"));
      await().atMost(PATIENCE).until(() -> scenario.count("task_stage = 'c'") > 0);
      WorkerNode heir = scenario.launchWorker(server, worker -> worker.in(GPU));
      heir.awaitReady();
      scenario.fault("kill -9 of a GPU worker", victim::kill);
      scenario.healed();
      scenario.awaitDrained(PATIENCE);

      FleetChecker.Findings findings = new FleetChecker(NEEDS).check(scenario.history());
      Figures.print(
          "2 fleets, %d tasks of a stage for anybody, one for GPUs and one for CPUs, and a GPU"
              + " worker killed: runs %s, most places at once %s",
          TASKS, findings.runs(), findings.mostPlaces());
      assertThat(findings.violations()).isEmpty();
      assertThat(findings.runs().values()).allMatch(runs -> runs >= TASKS);
      assertThat(scenario.verdict().violations()).isEmpty();
      assertThat(scenario.count("status = 4")).isEqualTo(TASKS);
    }
  }
}
