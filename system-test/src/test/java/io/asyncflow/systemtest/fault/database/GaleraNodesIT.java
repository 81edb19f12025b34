package io.asyncflow.systemtest.fault.database;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Window;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What several nodes that all take writes could break. */
@Tag("faults")
@Tag("group")
@Timeout(600)
class GaleraNodesIT {

  private static final int FIRST_STARTS = 2;

  private static final int FAMILIES = 3;

  /** Of each family; begin passes all but the last. */
  private static final int TABLES = 101;

  /** What the servers of {@code sweep} do is done that often. */
  private static final Map<String, String> SWEEP = Map.of("FLOW_GOVERNANCE_SWEEPINTERVAL", "100ms");

  /** About as long as the drain of one table takes. */
  private static final int LONGEST_DRAIN_NS = 8_000_000;

  /** After which a drain that had not seen a task has ended. */
  private static final Duration LATE_DRAIN = Duration.ofMillis(100);

  private static final Duration RACES = Duration.ofSeconds(60);
  private static final Duration TARGET = Duration.ofSeconds(20);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private static Path directory;

  private static GaleraGroup group;

  @BeforeAll
  static void start() {
    assumeTrue(GaleraGroup.isInstalled(), "mariadb-server and galera-4 are not installed");
    group = GaleraGroup.of(directory, 3);
  }

  @AfterAll
  static void stop() {
    if (group != null) {
      group.close();
    }
  }

  /** Flyway takes no lock on Galera, so the servers take one. */
  @Test
  void serversThatStartAtOnceMakeOneSchema() throws SQLException {
    List<GaleraNode> reversed = new ArrayList<>(group.members());
    Collections.reverse(reversed);
    for (int i = 1; i <= FIRST_STARTS; i++) {
      String schema = "twins_" + i;
      try (Cluster cluster = Cluster.on(group.given(group.members(), schema), "galera-twins")) {
        ServerNode one = cluster.launchServer(plan -> plan);
        ServerNode two =
            cluster.launchServer(
                plan -> plan.withDatabase(group.given(reversed, schema).access().url()));
        one.awaitReady();
        two.awaitReady();
        one.client().saveTaskType(TaskTypeSettings.named("twin"));
        one.client().createTask(NewTask.of("twin", "s", "u", "{}"));
        assertThat(two.client().holdTasks(new HoldRequest("twin", 1, "w", 5_000, null, null)))
            .hasSize(1);
        try (Connection connection = cluster.connect()) {
          assertThat(
                  number(
                      connection,
                      "SELECT COUNT(*) - COUNT(DISTINCT version) + SUM(1 - success)"
                          + " FROM flyway_schema_history"))
              .isZero();
        }
      }
    }
  }

  /**
   * A create and the drain of its table, through two nodes, do not see each other's locks: the task
   * may lie before begin, where no claim looks.
   */
  @Test
  void createThatMeetsADrainAtAnotherNodeIsFoundSoon() throws Exception {
    try (Cluster cluster = Cluster.on(group.given(group.members(), "races"), "galera-races")) {
      ServerNode server = cluster.startServer(plan -> plan.withAll(SWEEP));
      List<Family> families =
          IntStream.range(0, FAMILIES).mapToObj(i -> new Family("race_" + i, server)).toList();
      GaleraNode writer =
          await().atMost(PATIENCE).until(group::writers, writers -> writers.size() == 1).get(0);
      GaleraNode other =
          group.members().stream().filter(n -> n != writer).findFirst().orElseThrow();
      Stopwatch watch = Stopwatch.start();
      List<CompletableFuture<Void>> races =
          families.stream()
              .map(
                  family ->
                      CompletableFuture.runAsync(
                          () -> family.race(writer, other, watch),
                          task -> new Thread(task).start()))
              .toList();
      for (CompletableFuture<Void> race : races) {
        race.get(PATIENCE.plus(RACES).plus(PATIENCE).toSeconds(), TimeUnit.SECONDS);
      }
      List<Duration> behind = families.stream().flatMap(f -> f.behind.stream()).toList();
      Duration longest = behind.stream().max(Duration::compareTo).orElse(Duration.ZERO);
      Figures.print(
          "of %d creates at one node of Galera that raced with a drain at another, %d were seen in"
              + " time, %d were refused, %d lay before begin, for %.1f s at most (target %.1f s)",
          families.stream().mapToInt(f -> f.races).sum(),
          families.stream().mapToInt(f -> f.seen).sum(),
          families.stream().mapToInt(f -> f.refused).sum(),
          behind.size(),
          seconds(longest),
          seconds(TARGET));
      assertThat(behind).as("the races").isNotEmpty();
      assertThat(longest).isLessThan(TARGET);
    }
  }

  /** A type with many empty tables; a task in the first of them holds begin there. */
  private static final class Family {

    private final String type;
    private final String first;
    private final List<Left> left = new ArrayList<>();
    private final List<Duration> behind = new ArrayList<>();
    private int races;
    private int seen;
    private int refused;

    /** A task that lies before begin. */
    private record Left(int table, long id, Stopwatch since) {}

    Family(String type, ServerNode server) {
      this.type = type;
      server.client().saveTaskType(TaskTypeSettings.named(type));
      this.first = server.client().createTask(NewTask.of(type, "s", "u", "{}"));
      try (Connection connection = group.given(group.members(), "races").connect();
          Statement sql = connection.createStatement()) {
        for (int table = 2; table <= TABLES; table++) {
          sql.execute("CREATE TABLE " + name(table) + " LIKE t_task_template");
        }
        sql.execute(
            IntStream.rangeClosed(2, TABLES)
                .mapToObj(table -> "('" + type + "', " + table + ", 0)")
                .collect(
                    joining(
                        ", ",
                        "INSERT INTO t_task_table (task_type, table_number, create_time) VALUES ",
                        "")));
        sql.execute(
            "UPDATE t_schedule_pos SET schedule_end_pos = " + TABLES + " WHERE " + ofType());
      } catch (SQLException e) {
        throw new IllegalStateException("the tables of " + type, e);
      }
    }

    private String name(int table) {
      return "t_" + type + "_task_" + table;
    }

    private String ofType() {
      return "task_type = '" + type + "'";
    }

    /** About when begin is at a table, which is drained then, a task is created in it. */
    void race(GaleraNode writer, GaleraNode other, Stopwatch watch) {
      try (Connection drained = writer.connectAlone("races");
          Connection creating = other.connectAlone("races")) {
        creating.setAutoCommit(false);
        creating.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        finish(drained, 1, Long.parseLong(first.substring(0, first.indexOf('_'))));
        int table = 2;
        while (table < TABLES && watch.elapsed().compareTo(RACES) < 0) {
          if (begin(drained) >= table - ThreadLocalRandom.current().nextInt(2)) {
            race(drained, creating, table++);
          }
          takenBack(drained);
        }
        await(type)
            .atMost(PATIENCE)
            .until(
                () -> {
                  takenBack(drained);
                  return left.isEmpty();
                });
      } catch (SQLException e) {
        throw new IllegalStateException(type, e);
      }
    }

    private void race(Connection drained, Connection creating, int table) throws SQLException {
      races++;
      long id = TABLES * 1_000_000L + table;
      Window.pass(Duration.ofNanos(ThreadLocalRandom.current().nextInt(LONGEST_DRAIN_NS)));
      if (!create(creating, table, id)) {
        refused++;
        return;
      }
      Stopwatch since = Stopwatch.start();
      Window.pass(LATE_DRAIN);
      if (begin(drained) > table) {
        left.add(new Left(table, id, since));
      } else {
        seen++;
        finish(drained, table, id);
      }
    }

    /** With the lock of a create of a server. */
    private boolean create(Connection connection, int table, long id) throws SQLException {
      try (Statement sql = connection.createStatement()) {
        boolean isOpen =
            number(
                    connection,
                    "SELECT COUNT(*) FROM t_task_table WHERE "
                        + ofType()
                        + " AND table_number = "
                        + table
                        + " AND drain_time IS NULL LOCK IN SHARE MODE")
                == 1;
        if (isOpen) {
          sql.execute(
              "INSERT INTO "
                  + name(table)
                  + " (id, user_id, task_stage, status, order_time, create_time, modify_time,"
                  + " task_context, schedule_log) VALUES ("
                  + id
                  + ", 'u', 's', 1, 1, 1, 1, '', '')");
        }
        connection.commit();
        return isOpen;
      } catch (SQLException e) {
        connection.rollback();
        if (e.getErrorCode() == 1213) {
          return false;
        }
        throw e;
      }
    }

    private int begin(Connection connection) throws SQLException {
      return number(connection, "SELECT schedule_begin_pos FROM t_schedule_pos WHERE " + ofType());
    }

    private void finish(Connection connection, int table, long id) throws SQLException {
      try (Statement sql = connection.createStatement()) {
        sql.execute("UPDATE " + name(table) + " SET status = 4 WHERE id = " + id);
      }
    }

    /** Finishes the tasks where claims look again. */
    private void takenBack(Connection connection) throws SQLException {
      int begin = begin(connection);
      for (Left task : List.copyOf(left)) {
        if (begin <= task.table()) {
          behind.add(task.since().elapsed());
          left.remove(task);
          finish(connection, task.table(), task.id());
        }
      }
    }
  }

  private static int number(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getInt(1);
    }
  }
}
