package io.asyncflow.systemtest.fault.server;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.WorkerNode;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.worker.Script;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Servers and workers whose time of day is wrong and jumps. The number is a row of the matrix.
 *
 * <p>libfaketime lies about the time of day alone: the monotonic clock, which the histories go by,
 * stays true, as it does on a machine whose clock is set.
 */
@Tag("faults")
@Timeout(300)
class ClockFaultsIT {

  private static final Path LIBRARY =
      Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1");
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void row18_clocksThatAreOffByAnHourAndJumpBackRescueNobodyEarlyOrLate() throws IOException {
    assumeTrue(Files.exists(LIBRARY), "needs the package libfaketime");
    int tasks = 300;
    TypePlan plan = TypePlan.quick();
    Duration rescue = plan.lease().plusSeconds(2);
    try (Cluster cluster = Cluster.startWithoutRedis("row18")) {
      Clock fast = Clock.in(cluster.directory(), "fast", "+3600");
      Clock slow = Clock.in(cluster.directory(), "slow", "-3600");
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
              fast.jumpTo("-3600");
              slow.jumpTo("+3600");
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

  /** A time of day that processes can be given, written in a file. */
  private record Clock(Path file) {

    static Clock in(Path directory, String name, String offset) throws IOException {
      Clock clock = new Clock(directory.resolve("clock-" + name));
      clock.jumpTo(offset);
      return clock;
    }

    void jumpTo(String offset) {
      try {
        Files.writeString(file, offset);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    Map<String, String> variables() {
      return Map.of(
          "LD_PRELOAD",
          LIBRARY.toString(),
          "FAKETIME_TIMESTAMP_FILE",
          file.toString(),
          "FAKETIME_CACHE_DURATION",
          "1",
          "FAKETIME_DONT_FAKE_MONOTONIC",
          "1",
          // Else each timed wait of the JVM ends at once, and it spins.
          "FAKETIME_FORCE_MONOTONIC_FIX",
          "0",
          "NO_FAKE_STAT",
          "1");
    }
  }
}
