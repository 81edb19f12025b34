package io.asyncflow.systemtest.fault.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asyncflow.systemtest.chaos.ChaosPlan;
import io.asyncflow.systemtest.chaos.ChaosRun;
import io.asyncflow.systemtest.chaos.ChaosRun.Outcome;
import io.asyncflow.systemtest.chaos.Disaster;
import io.asyncflow.systemtest.measure.Figures;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All faults at once, on a database of several servers that are among the victims. */
@Tag("group")
@Timeout(600)
class GroupChaosIT {

  private static final long SEED = Long.getLong("asyncflow.test.seed", 4_711);
  private static final ChaosPlan PLAN =
      ChaosPlan.of(3_000, SEED).on(2, 3).within(Duration.ofMinutes(3));

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"galera", "group"})
  void nothingIsLostOrDoneTwiceWhenEverythingBreaks(String kind) throws Exception {
    assumeTrue(
        kind.equals("group") || GaleraGroup.isInstalled(),
        "mariadb-server and galera-4 are not installed");
    try (ChaosGroup group = ChaosGroup.of(kind, directory)) {
      Outcome outcome =
          new ChaosRun(PLAN, System.out::println).run(group.endpoint(), group.killNode());
      Figures.print(
          "chaos with seed %d on three servers of one database (%s): %d tasks under %s; %d"
              + " executions were repeated",
          SEED,
          kind,
          outcome.verdict().tasks(),
          outcome.disasters(),
          outcome.verdict().executions().repeated());
      assertThat(outcome.disasters()).containsKey(Disaster.NODE_KILLED);
      assertThat(outcome.failures()).isZero();
      assertThat(outcome.verdict().violations()).as("with seed " + SEED).isEmpty();
      assertThat(outcome.verdictOnDefaults().violations()).as("with seed " + SEED).isEmpty();
      assertThat(outcome.violationsOfSchedules()).as("with seed " + SEED).isEmpty();
      assertThat(outcome.isClean()).as("with seed " + SEED).isTrue();
      assertThat(schemas(group)).noneMatch(schema -> schema.startsWith("asyncflow_chaos_"));
    }
  }

  private static List<String> schemas(ChaosGroup group) throws Exception {
    List<String> schemas = new ArrayList<>();
    try (Connection connection = group.endpoint().connect(DatabaseGroup.SCHEMA);
        ResultSet rows = connection.createStatement().executeQuery("SHOW DATABASES")) {
      while (rows.next()) {
        schemas.add(rows.getString(1));
      }
    }
    return schemas;
  }
}
