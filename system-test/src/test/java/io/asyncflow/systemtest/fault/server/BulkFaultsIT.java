package io.asyncflow.systemtest.fault.server;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.bulk.Bulk;
import io.asyncflow.api.bulk.BulkAct;
import io.asyncflow.api.bulk.BulkArguments;
import io.asyncflow.api.bulk.BulkPreview;
import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.api.bulk.NewBulk;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A bulk whose leader is killed in the middle of it, beside holds of another type. {@code
 * -Dasyncflow.test.bulk-tasks=100000} makes it longer.
 */
@Tag("faults")
@Timeout(900)
class BulkFaultsIT {

  private static final int TASKS = Integer.getInteger("asyncflow.test.bulk-tasks", 10_000);
  private static final int BATCH = 1_000;
  private static final int HOLDS = Math.max(200, TASKS / 50);
  private static final String TYPE = "bulked";
  private static final String OTHER = "beside";

  private static Cluster cluster;
  private static List<ServerNode> servers;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.startWithoutRedis("bulk-faults");
    servers = cluster.startServers(2);
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @Test
  void killedLeaderLeavesEachTaskActedOnOnce() {
    FlowClient client = servers.get(0).client();
    execute("INSERT INTO t_schedule_cfg (task_type) VALUES ('" + TYPE + "'), ('" + OTHER + "')");
    create(client, TYPE, TASKS, 3_600_000L);
    create(client, OTHER, 3 * HOLDS, null);
    Term term = Term.awaitOneThatLives(cluster);
    ServerNode leader = term.server(servers);
    ServerNode other = servers.stream().filter(server -> server != leader).findFirst().get();
    p99(other.client()); // until the server is warm
    double before = p99(other.client());
    BulkPreview preview =
        other
            .client()
            .bulk()
            .preview(NewBulk.of(BulkAct.CANCEL, "type:" + TYPE, BulkArguments.NONE));
    String id =
        other
            .client()
            .bulk()
            .start(preview.token(), preview.count().count(), "test", "leader is killed");
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> other.client().bulk().get(id).done() > TASKS / 5);
    double beside = p99(other.client(), () -> other.client().bulk().get(id).done() < TASKS / 2);
    Bulk atKill = other.client().bulk().get(id);
    Stopwatch watch = Stopwatch.start();
    leader.kill();
    int killedAfter = other.client().bulk().get(id).done();
    await()
        .atMost(Duration.ofSeconds(120))
        .until(() -> other.client().bulk().get(id).done() > killedAfter);
    Duration pause = watch.elapsed();
    Bulk end =
        await()
            .atMost(Duration.ofSeconds(600))
            .pollInterval(Duration.ofMillis(200))
            .until(() -> other.client().bulk().get(id), bulk -> bulk.state() != BulkState.RUNNING);
    Duration rest = watch.elapsed();

    Figures.print(
        "bulk of %d tasks: leader killed -9 after %d at %.0f a second; it went on %.1f s later, and"
            + " all were done %.1f s later; hold p99 %.1f ms before, %.1f ms beside the bulk",
        TASKS, killedAfter, atKill.perSecond(), seconds(pause), seconds(rest), before, beside);
    assertThat(end.state()).isEqualTo(BulkState.DONE);
    assertThat(List.of(end.done(), end.skipped(), end.refused())).containsExactly(TASKS, 0, 0);
    assertThat(number("SELECT COUNT(*) FROM t_" + TYPE + "_task_1 WHERE status = 16"))
        .isEqualTo(TASKS);
    assertThat(number("SELECT COUNT(*) FROM t_act WHERE act = 'CANCEL' AND source = 'bulk'"))
        .isEqualTo(TASKS);
    assertThat(number("SELECT COUNT(DISTINCT task_id) FROM t_act WHERE source = 'bulk'"))
        .isEqualTo(TASKS);
  }

  private static void create(FlowClient client, String type, int count, Long delayMs) {
    NewTask task = NewTask.of(type, "one", "ada", "{}");
    NewTask delayed = delayMs == null ? task : task.withDelayMs(delayMs);
    for (int made = 0; made < count; made += BATCH) {
      client.createTasks(Collections.nCopies(Math.min(BATCH, count - made), delayed));
    }
  }

  /** Of holds that find a task, in ms. */
  private static double p99(FlowClient client) {
    return p99(client, () -> true);
  }

  /** As {@link #p99(FlowClient)}, of fewer if the condition ends; it is asked now and then. */
  private static double p99(FlowClient client, BooleanSupplier goesOn) {
    List<Long> took = new ArrayList<>();
    for (int i = 0; i < HOLDS && (i % 50 > 0 || goesOn.getAsBoolean()); i++) {
      long begin = System.nanoTime();
      client.holdTasks(new HoldRequest(OTHER, 1, "w", 0, null, null));
      took.add(System.nanoTime() - begin);
    }
    Collections.sort(took);
    return took.get(took.size() * 99 / 100) / 1e6;
  }

  private static void execute(String sql) {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int number(String sql) {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
