package io.asyncflow.flowsvr.operate.governance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.FeaturesInUse;
import io.asyncflow.flowsvr.base.leader.LeaderElection;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.queue.lease.ExpiredLeaseSweep;
import io.asyncflow.flowsvr.wire.Wire;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import tools.jackson.databind.JsonNode;

/** What operators see of governance. */
@RunningServer
class GovernanceStatusIT {

  private static final ExpiredLeaseSweep.Result ONE_POISONED =
      new ExpiredLeaseSweep.Result(0, 1, 1);
  private static final ExpiredLeaseSweep.Result NOTHING = new ExpiredLeaseSweep.Result(0, 0, 0);

  @LocalServerPort int port;
  @Autowired DutyRunStore runs;
  @Autowired LeaderElection election;
  @Autowired FeaturesInUse features;
  @Autowired Node node;
  @Autowired TaskMeters meters;

  private JsonNode status() {
    return new Wire(port).get("/api/governance/status").result();
  }

  private JsonNode job(String name) {
    for (JsonNode job : status().path("jobs")) {
      if (job.path("job").asString().equals(name)) {
        return job;
      }
    }
    return null;
  }

  @Test
  void jobsThatRunAreShownBesideNodesAndLeader() {
    for (String job : List.of("expired-lease-sweep", "late-tasks", "table-drain")) {
      await().atMost(Duration.ofSeconds(60)).until(() -> job(job) != null);
    }

    JsonNode status = status();
    assertThat(status.at("/nodes/0/node").asString("")).isNotEmpty();
    assertThat(status.path("leader").asString("")).isNotEmpty();
    assertThat(status.path("term").asLong()).isPositive();
    assertThat(job("late-tasks").path("result").has("latestMs")).isTrue();
  }

  @Test
  void quarantineIsStillSeenWhenLaterSweepsFoundNothing() {
    AtomicInteger sweeps = new AtomicInteger();
    DutyLoop sweeping =
        loopOf(
            Duty.ofEach(
                "test-sweep",
                Duration.ofMillis(50),
                () -> sweeps.getAndIncrement() == 0 ? ONE_POISONED : NOTHING));
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                job("test-sweep") != null
                    && job("test-sweep").at("/effect/poisoned").asInt(0) == 1);
    sweeping.destroy();
    long lastEffect = job("test-sweep").path("lastEffectiveRun").asLong();
    write("test-sweep", NOTHING, null, false);

    assertThat(job("test-sweep").at("/result/poisoned").asInt(-1)).isZero();
    assertThat(job("test-sweep").at("/result/givenBack").asInt(-1)).isZero();
    assertThat(job("test-sweep").at("/effect/poisoned").asInt()).isEqualTo(1);
    assertThat(job("test-sweep").path("lastEffectiveRun").asLong()).isEqualTo(lastEffect);
  }

  private DutyLoop loopOf(Duty duty) {
    DutyLoop loop = new DutyLoop(List.of(duty), election, features, runs, node, meters);
    loop.onApplicationEvent(null);
    return loop;
  }

  @Test
  void jobThatFailedSaysSoAndKeepsItsLastDeed() {
    write("test-job", 3, null, true);
    write("test-job", Map.of(), "it broke", false);

    assertThat(job("test-job").path("error").asString()).isEqualTo("it broke");
    assertThat(job("test-job").path("effect").asInt()).isEqualTo(3);
  }

  private void write(String job, Object result, String error, boolean isDeed) {
    runs.write(List.of(new DutyRunStore.Note(job, "another node", 0, 1, result, error, isDeed)));
  }
}
