package io.asyncflow.systemtest.cluster;

import static io.asyncflow.systemtest.measure.Figures.ms;
import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.systemtest.check.Verdict;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.worker.Script;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two servers on one database, and no Redis anywhere. */
@Tag("faults")
@Timeout(300)
class WithoutRedisIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /**
   * Less than half of what a server without a scan needed, which takes a few dozen milliseconds. It
   * rests for four times as long as it took, so on a busy machine only the best of some tell.
   */
  private static final Duration SCANNED = Duration.ofMillis(250);

  private static Cluster cluster;
  private static List<ServerNode> servers;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.startWithoutRedis("without-redis");
    servers = cluster.startServers(2);
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @Test
  void everyStageIsCommittedOnceWithoutRedis() {
    int tasks = 1_000;
    // Nothing is broken here, and no lease is so short that a busy machine breaks it.
    TypePlan plan = TypePlan.quick().withLease(Duration.ofSeconds(20));
    try (Scenario scenario = Scenario.of(cluster, "plain", plan)) {
      servers.forEach(scenario::startWorker);
      Stopwatch watch = Stopwatch.start();
      scenario.create(scenario.client(servers.get(0)), tasks, Script.smooth());
      scenario.awaitDrained(PATIENCE);

      Figures.print(
          "%d three-stage tasks on 2 servers and 2 workers without Redis: %.0f tasks/s",
          tasks, tasks / seconds(watch.elapsed()));
      Verdict verdict = scenario.verdict();
      assertThat(verdict.violations()).isEmpty();
      assertThat(verdict.executions().all()).isEqualTo(3 * tasks);
    }
  }

  @Test
  void parkedHoldHearsOfACreateOnTheOtherServerWithinAScan() {
    try (Scenario scenario = Scenario.of(cluster, "polled", TypePlan.quick())) {
      List<Duration> delays = WakeUps.measure(scenario, servers.get(0), servers.get(1), 5);
      Figures.print(
          "create on one server to the answer of a hold parked on the other, without Redis:"
              + " median %d ms, worst %d ms",
          ms(delays.get(2)), ms(delays.get(4)));
      assertThat(delays.get(1)).isLessThan(SCANNED);
      assertThat(scenario.verdict().violations()).isEmpty();
    }
  }
}
