package io.asyncflow.flowsvr.governance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.flowsvr.Given;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.FeaturesInUse;
import io.asyncflow.flowsvr.leader.LeaderElection;
import io.asyncflow.flowsvr.lease.ExpiredLeaseSweep;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.wire.Wire;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** What operators see of governance. */
@RunningServer
class GovernanceStatusIT {

  @LocalServerPort int port;
  @Autowired Given given;
  @Autowired JdbcClient jdbc;
  @Autowired DutyRunStore runs;
  @Autowired ExpiredLeaseSweep sweep;
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
    TaskType poisonous = given.aType().with("max_delivery", 1).create();
    TaskId id = given.aWaitingTask().ofType(poisonous).create();
    jdbc.sql("UPDATE " + id.table().sqlName() + " SET delivery_count = 1").update();
    given.aHold(poisonous).theTask();
    jdbc.sql("UPDATE " + id.table().sqlName() + " SET lease_end = 0 WHERE status = 2").update();

    DutyLoop sweeping =
        loopOf(Duty.ofEach("expired-lease-sweep", Duration.ofMillis(50), sweep::runOnce));
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> job("expired-lease-sweep").at("/effect/poisoned").asInt(0) == 1);
    sweeping.destroy();
    long lastEffect = job("expired-lease-sweep").path("lastEffectiveRun").asLong();
    write("expired-lease-sweep", new ExpiredLeaseSweep.Result(0, 0, 0), null, false);

    assertThat(job("expired-lease-sweep").at("/result/poisoned").asInt(-1)).isZero();
    assertThat(job("expired-lease-sweep").at("/result/givenBack").asInt(-1)).isZero();
    assertThat(job("expired-lease-sweep").at("/effect/poisoned").asInt()).isEqualTo(1);
    assertThat(job("expired-lease-sweep").path("lastEffectiveRun").asLong()).isEqualTo(lastEffect);
  }

  /** One more loop: the server's own sweep rests where it knows of no lease that can have ended. */
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
