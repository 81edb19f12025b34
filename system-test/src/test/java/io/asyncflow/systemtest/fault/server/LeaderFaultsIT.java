package io.asyncflow.systemtest.fault.server;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.wire.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leaders that die, sleep, or lose their way to the database. The numbers are rows. */
@Tag("faults")
@Timeout(300)
class LeaderFaultsIT {

  /** Two rounds of the election and a bit. */
  private static final Duration TWO_ROUNDS = Duration.ofSeconds(6);

  private static Cluster cluster;
  private static Map<ServerNode, TcpProxy> wires;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.startWithoutRedis("leader-faults");
    TcpProxy one = TcpProxy.to(cluster.database().endpoint().port());
    TcpProxy two = TcpProxy.to(cluster.database().endpoint().port());
    wires = Map.of(launchBehind(one), one, launchBehind(two), two);
    wires.keySet().forEach(ServerNode::awaitReady);
  }

  private static ServerNode launchBehind(TcpProxy wire) {
    return cluster.launchServer(plan -> plan.withDatabase(cluster.databaseUrlVia(wire)));
  }

  @AfterAll
  static void stopCluster() {
    wires.values().forEach(TcpProxy::close);
    cluster.close();
  }

  @Test
  void row7_killedLeaderIsReplaced() {
    Term term = Term.awaitOneThatLives(cluster);
    ServerNode leader = term.server(wires.keySet());
    Stopwatch watch = Stopwatch.start();
    leader.kill();
    Term next = term.awaitNext(cluster);
    Duration takeover = watch.elapsed();
    Figures.print(
        "row 7: leader killed -9; the next term began after %.1f s (target %d s)",
        seconds(takeover), Term.TAKEOVER.toSeconds());
    assertThat(next.number()).isEqualTo(term.number() + 1);
    assertThat(next.leader()).isNotEqualTo(term.leader());
    leader.start();
    leader.awaitReady();
  }

  @Test
  void row6_leaderThatWasStoppedStepsDownWhenItWakesUp() {
    Term term = Term.awaitOneThatLives(cluster);
    ServerNode leader = term.server(wires.keySet());
    Stopwatch watch = Stopwatch.start();
    leader.pause();
    Term next = term.awaitNext(cluster);
    final Duration takeover = watch.elapsed();
    watch = Stopwatch.start();
    leader.resume();
    Duration steppedDown = awaitStepDown(term, leader, watch);
    Figures.print(
        "row 6: leader stopped by SIGSTOP; the next term began after %.1f s, and the old leader"
            + " stepped down %.1f s after SIGCONT",
        seconds(takeover), seconds(steppedDown));
    assertStays(next);
  }

  @Test
  void row6_renewalThatArrivesLateTouchesNoRow() {
    Term term = Term.awaitOneThatLives(cluster);
    ServerNode leader = term.server(wires.keySet());
    Stopwatch watch = Stopwatch.start();
    wires.get(leader).freeze();
    Term next = term.awaitNext(cluster);
    final Duration takeover = watch.elapsed();
    watch = Stopwatch.start();
    wires.get(leader).heal(); // what the old leader sent meanwhile is delivered now
    Duration steppedDown = awaitStepDown(term, leader, watch);
    Figures.print(
        "row 6: leader's wire to the database frozen; the next term began after %.1f s, and the old"
            + " leader stepped down %.1f s after the thaw",
        seconds(takeover), seconds(steppedDown));
    assertStays(next);
  }

  private static Duration awaitStepDown(Term term, ServerNode leader, Stopwatch watch) {
    await()
        .atMost(Term.TAKEOVER.multipliedBy(3))
        .until(() -> leader.hasPrinted("lost the leadership of term " + term.number() + ";"));
    return watch.elapsed();
  }

  /** Neither a renewal nor a take-over of the old leader counts, now or later. */
  private static void assertStays(Term term) {
    await()
        .during(TWO_ROUNDS)
        .atMost(TWO_ROUNDS.multipliedBy(3))
        .until(() -> List.of(term.leader(), term.number()), now -> now.equals(seen()));
  }

  private static List<Object> seen() {
    Term now = Term.read(cluster);
    return List.of(now.leader(), now.number());
  }
}
