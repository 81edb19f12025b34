package io.asyncflow.systemtest.fault.database;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.fault.database.Probe.Call;
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

/** Row 14 of the matrix, on a real group of three. */
@Tag("group")
@Timeout(600)
class GroupFailoverIT {

  private static final Duration PATIENCE = Duration.ofSeconds(120);

  /** How soon after the primary's death writes succeed again. */
  private static final Duration FAILOVER = Duration.ofSeconds(30);

  @TempDir Path directory;

  @Test
  void row14_killedPrimaryOfAGroupLosesNothingAcknowledged() {
    try (MySqlGroup group = MySqlGroup.start(directory, 3);
        Cluster cluster = Cluster.on(group.access("asyncflow"), "row14")) {
      List<ServerNode> servers = cluster.startServers(2);
      try (Scenario scenario = Scenario.of(cluster, "row14", TypePlan.quick())) {
        servers.forEach(scenario::startWorker);
        FlowClient prober = scenario.client(servers.get(1));
        try (Load load = Load.on(scenario, scenario.client(servers.get(0)));
            Probe creates =
                Probe.start(() -> prober.createTask(scenario.newTask(Script.smooth())))) {
          await().atMost(PATIENCE).until(() -> scenario.count("status = 4") > 200);
          final MySqlMember first = group.primary();

          Stopwatch death = Stopwatch.start();
          scenario.fault(
              "primary killed",
              () -> {
                group.kill(first);
                awaitSuccess(creates);
              });
          print("primary of three killed -9", creates, death);
          final MySqlMember second = group.primary();
          assertThat(second.number()).isEqualTo(2);
          int done = scenario.count("status = 4");
          await().atMost(PATIENCE).until(() -> scenario.count("status = 4") > done + 200);

          Stopwatch handover = Stopwatch.start();
          scenario.fault(
              "member comes back and is made primary",
              () -> {
                group.bringBack(first);
                first.takeOver();
                group.awaitPrimary(first);
                awaitSuccess(creates);
              });
          print("member brought back and made primary", creates, handover);
        }
        scenario.healed();
        scenario.awaitDrained(PATIENCE);
        assertThat(scenario.verdict().violations()).isEmpty();
      }
    }
  }

  /** A create that begins from now on. */
  private static void awaitSuccess(Probe creates) {
    long now = System.nanoTime();
    await("a write succeeds")
        .atMost(FAILOVER.multipliedBy(3))
        .until(() -> creates.since(now).stream().anyMatch(call -> call.code() == 0));
  }

  private static void print(String what, Probe creates, Stopwatch since) {
    List<Call> calls = creates.since(since.startedAt());
    List<Call> refused = calls.stream().filter(call -> call.code() != 0).toList();
    Duration until =
        refused.isEmpty() ? Duration.ZERO : since.until(refused.get(refused.size() - 1).ended());
    Figures.print(
        "row 14: %s; %d of %d creates were refused, the last one %.1f s later (target %d s); the"
            + " slowest answer took %.1f s",
        what,
        refused.size(),
        calls.size(),
        seconds(until),
        FAILOVER.toSeconds(),
        seconds(Probe.slowest(calls)));
    assertThat(refused).extracting(Call::code).containsOnly(ErrorCode.UNAVAILABLE.code());
  }
}
