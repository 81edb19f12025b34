package io.asyncflow.systemtest.fault.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.systemtest.check.Verdict;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.wire.TcpProxy;
import io.asyncflow.systemtest.worker.Script;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A migration that is killed midway, or cannot begin. The number is a row of the matrix. */
@Tag("faults")
@Timeout(300)
class MigrationFaultsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The wire to the database is slow, so that the kill hits between two statements. */
  @ParameterizedTest
  @ValueSource(strings = {"t_schedule_cfg", "t_hold", "t_task_template"})
  void row28_migrationThatWasKilledMidwayIsFinishedByTheNextStart(String table) {
    try (Cluster cluster = Cluster.startWithoutRedis("row28-" + table);
        TcpProxy wire = TcpProxy.to(cluster.database().endpoint().port())) {
      wire.delay(Duration.ofMillis(40));
      ServerNode server =
          cluster.launchServer(plan -> plan.withDatabase(cluster.databaseUrlVia(wire)));
      await()
          .atMost(PATIENCE)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(5))
          .until(() -> exists(cluster, table));
      server.kill();
      wire.heal();

      server.start();
      server.awaitReady();
      try (Scenario scenario = Scenario.of(cluster, "row28", TypePlan.quick())) {
        scenario.startWorker(server);
        scenario.create(scenario.client(server), 10, Script.smooth());
        scenario.awaitDrained(PATIENCE);
        Verdict verdict = scenario.verdict();
        assertThat(verdict.violations()).isEmpty();
      }
      Figures.print("row 28: migration killed after %s; the next start finished it", table);
    }
  }

  @Test
  void serverThatWaitsForItsDatabaseHeedsSigterm() {
    try (Cluster cluster = Cluster.startWithoutRedis("no-database")) {
      cluster.database().kill();
      ServerNode server =
          cluster.launchServer(plan -> plan.withAll(Map.of("FLOW_DATABASE_PATIENCE", "5m")));
      await().atMost(PATIENCE).until(() -> server.hasPrinted("waiting up to 300 s"));

      Stopwatch watch = Stopwatch.start();
      server.terminate();
      assertThat(server.awaitEnd(PATIENCE)).isTrue();
      Figures.print(
          "a server that waited for its database ended %.1f s after SIGTERM",
          Figures.seconds(watch.elapsed()));
      assertThat(server.exitCode()).isEqualTo(143);
    }
  }

  private static boolean exists(Cluster cluster, String table) throws SQLException {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        ResultSet tables = statement.executeQuery("SHOW TABLES LIKE '" + table + "'")) {
      return tables.next();
    }
  }
}
