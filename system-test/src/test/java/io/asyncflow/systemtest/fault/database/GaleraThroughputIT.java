package io.asyncflow.systemtest.fault.database;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static java.util.Arrays.asList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.event.EventFilter;
import io.asyncflow.api.event.EventPage;
import io.asyncflow.dev.embedded.EmbeddedMariaDb;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.GivenDatabase;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.scenario.Window;
import io.asyncflow.systemtest.worker.Script;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What it costs that three nodes have everything. */
@Tag("group")
@Timeout(300)
class GaleraThroughputIT {

  private static final int ROUNDS = 4;

  /** Of the lone node's throughput; the other nodes and all else share the machine's cores. */
  private static final double LEAST = 0.5;

  private static final Duration WINDOW = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Tasks a second whose events are listened to. */
  private static final int PER_SECOND = 100;

  private static final Duration LATE = Duration.ofSeconds(2);

  /** Of those to a lone node: without steps there are ten times as many. */
  private static final double MOST_STATEMENTS = 1.5;

  @TempDir private static Path directory;

  private static EmbeddedMariaDb lone;
  private static GaleraGroup group;
  private static Cluster ofOne;
  private static Cluster ofThree;

  @BeforeAll
  static void start() {
    assumeTrue(GaleraGroup.isInstalled(), "mariadb-server and galera-4 are not installed");
    lone = EmbeddedMariaDb.startInstalled(directory.resolve("lone"), List::of);
    group = GaleraGroup.of(directory, 3);
    ofOne = on(lone);
    ofThree = Cluster.onWithoutRedis(group.given(), "galera-throughput");
    ofOne.startServers(1);
    ofThree.startServers(1);
  }

  @AfterAll
  static void stop() throws Exception {
    for (AutoCloseable part : asList(ofOne, ofThree, lone, group)) {
      if (part != null) {
        part.close();
      }
    }
  }

  /** In turns: what else the machine does hits both. */
  @Test
  void writerOfThreeBesideALoneNode() {
    try (Scenario one = Scenario.of(ofOne, "one", TypePlan.quick());
        Scenario three = Scenario.of(ofThree, "three", TypePlan.quick())) {
      one.startWorker(ofOne.servers().get(0));
      three.startWorker(ofThree.servers().get(0));
      livesPerSecond(one, ofOne); // nothing is compiled yet
      livesPerSecond(three, ofThree);
      double sumOfOne = 0;
      double sumOfThree = 0;
      for (int round = 0; round < ROUNDS; round++) {
        sumOfOne += livesPerSecond(one, ofOne);
        sumOfThree += livesPerSecond(three, ofThree);
      }
      Figures.print(
          "lives of three stages: %.0f/s on a lone node, %.0f/s through the writer of three nodes"
              + " of Galera, which is %.2f of it (wanted 0.7)",
          sumOfOne / ROUNDS, sumOfThree / ROUNDS, sumOfThree / sumOfOne);
    }
  }

  /** Of three ids each node gives out one; a server that has just started knows that, too. */
  @Test
  void eventsOfThreeNodesAreOnTime() {
    assertThat(group.writer().value("SELECT @@global.auto_increment_increment")).isEqualTo(3);
    Heard one = hear(ofOne, () -> questions(ofOne));
    Heard three =
        hear(ofThree, () -> group.members().stream().mapToLong(GaleraNode::questions).sum());
    Figures.print(
        "events of %d tasks a second: of a lone node %.1f s behind at most, at %.0f statements"
            + " a second; of three nodes of Galera %.1f s behind at most (wanted %.0f), at"
            + " %.0f, which is %.2f of it (wanted 1.2)",
        PER_SECOND,
        seconds(one.latest()),
        one.statements(),
        seconds(three.latest()),
        seconds(LATE),
        three.statements(),
        three.statements() / one.statements());
    assertThat(three.latest()).isLessThan(LATE.multipliedBy(2));
    assertThat(three.statements()).isLessThan(MOST_STATEMENTS * one.statements());
  }

  /**
   * What a listener hears under an even load.
   *
   * @param latest how long after an event the listener had it
   * @param statements that all nodes get a second
   */
  private record Heard(Duration latest, double statements) {}

  private static Heard hear(Cluster cluster, LongSupplier questions) {
    ServerNode server = cluster.startServers(1).get(0);
    try (Scenario scenario = Scenario.of(cluster, "heard", TypePlan.quick())) {
      server.client().saveTaskType(TaskTypeSettings.named("heard").withEvents(2));
      scenario.startWorker(server);
      scenario.create(server.client(), PER_SECOND, Script.smooth()); // nothing is compiled yet
      scenario.awaitDrained(PATIENCE);
      AtomicBoolean isOver = new AtomicBoolean();
      CompletableFuture<Map<String, Long>> listener =
          CompletableFuture.supplyAsync(
              () -> listen(server.client(), isOver), task -> new Thread(task).start());
      long before = questions.getAsLong();
      Stopwatch watch = Stopwatch.start();
      List<String> created = new ArrayList<>();
      while (watch.elapsed().compareTo(WINDOW.multipliedBy(2)) < 0) {
        created.addAll(scenario.create(server.client(), PER_SECOND / 10, Script.smooth()));
        Window.pass(Duration.ofMillis(100));
      }
      double statements = (questions.getAsLong() - before) / seconds(watch.elapsed());
      scenario.awaitDrained(PATIENCE);
      isOver.set(true);
      Map<String, Long> heard = listener.join();
      assertThat(heard.keySet()).containsAll(created);
      return new Heard(Duration.ofMillis(Collections.max(heard.values())), statements);
    }
  }

  /** The longest time in milliseconds from an event of each task until it is heard. */
  private static Map<String, Long> listen(HttpFlowClient client, AtomicBoolean isOver) {
    Map<String, Long> latest = new HashMap<>();
    EventFilter filter = EventFilter.ALL.ofTypes("heard");
    String cursor = null;
    for (boolean isLast = false; !isLast; ) {
      isLast = isOver.get();
      EventPage page = client.events().list(filter, cursor, 1_000, LATE);
      long now = System.currentTimeMillis(); // the databases' clock, too
      page.eventList().forEach(e -> latest.merge(e.taskId(), now - e.time(), Math::max));
      cursor = page.cursor();
    }
    return latest;
  }

  private static long questions(Cluster cluster) {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(GaleraNode.QUESTIONS)) {
      rows.next();
      return rows.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Cluster on(EmbeddedMariaDb database) {
    return Cluster.onWithoutRedis(
        new GivenDatabase(database.endpoint(), "asyncflow"), "lone-throughput");
  }

  private static double livesPerSecond(Scenario scenario, Cluster cluster) {
    double rate;
    try (Load load = Load.on(scenario, scenario.client(cluster.servers().get(0)))) {
      load.awaitDone(200);
      rate = load.perSecond(WINDOW);
    }
    scenario.awaitDrained(PATIENCE);
    return rate;
  }
}
