package io.asyncflow.systemtest.fault.server;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.FakedClock;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.WorkerNode;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.worker.Script;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers and workers whose time of day is wrong and jumps. The number is a row of the matrix. */
@Tag("faults")
@Timeout(300)
class ClockFaultsIT {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void row18_clocksThatAreOffByAnHourAndJumpBackRescueNobodyEarlyOrLate(@TempDir Path clocks) {
    FakedClock fast = FakedClock.in(clocks, "fast", HOUR);
    FakedClock slow = FakedClock.in(clocks, "slow", HOUR.negated());
    int tasks = 300;
    TypePlan plan = TypePlan.quick();
    Duration rescue = plan.lease().plusSeconds(2);
    try (Cluster cluster = Cluster.startWithoutRedis("row18")) {
      ServerNode ahead = cluster.launchServer(server -> server.withAll(fast.variables()));
      ServerNode behind = cluster.launchServer(server -> server.withAll(slow.variables()));
      List.of(ahead, behind).forEach(ServerNode::awaitReady);
      try (Scenario scenario = Scenario.of(cluster, "row18", plan)) {
        WorkerNode victim = scenario.startWorker(ahead, worker -> worker.with(slow.variables()));
        scenario.startWorker(behind, worker -> worker.with(fast.variables()));
        scenario.create(
            scenario.client(ahead),
            tasks,
            i -> i % 10 == 0 ? Script.smooth().with("b", "ERROR", "OK") : Script.smooth());
        scenario.create(scenario.client(behind), 20, Script.smooth().with("a", "SLEEP 4000"));
        await().atMost(PATIENCE).until(() -> scenario.count("status = 4") > tasks / 4);

        // A clock that jumps ahead ends idle connections, which may break off a call.
        scenario.fault(
            "the clocks of both servers jump",
            () -> {
              fast.jumpTo(HOUR.negated());
              slow.jumpTo(HOUR);
            });
        Stopwatch watch = Stopwatch.start();
        victim.kill();
        await()
            .atMost(rescue.multipliedBy(3))
            .until(() -> scenario.count("status = 2 AND worker_id LIKE 'row18-worker-1-%'") == 0);
        Figures.print(
            "row 18: clocks an hour off, then jumping two hours; tasks of a killed worker were free"
                + " after %.1f s (target %.0f s)",
            seconds(watch.elapsed()), seconds(rescue));
        scenario.awaitDrained(PATIENCE);
        // No sweep of a live lease and no early retry: the checker goes by the monotonic clock.
        assertThat(scenario.verdict().violations()).isEmpty();
      }
    }
  }
}
