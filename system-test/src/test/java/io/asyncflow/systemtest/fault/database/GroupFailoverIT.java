package io.asyncflow.systemtest.fault.database;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.fault.database.Failover.Step;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Window;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Row 14 of the matrix: servers on three MySQL in group replication with one primary. */
@Tag("faults")
@Tag("group")
@Timeout(300)
class GroupFailoverIT {

  /** It takes the group 5 s to suspect a silent member and as long to expel it, by default. */
  private static final Duration TARGET = Duration.ofSeconds(23);

  private static final Duration TARGET_WITHOUT_GRACE = Duration.ofSeconds(8);
  private static final Duration TARGET_OF_SWITCH = Duration.ofMillis(1_500);
  private static final Duration STOP = Duration.ofSeconds(15);

  @TempDir private static Path directory;

  private static MySqlGroup group;
  private static Failover servers;

  @BeforeAll
  static void start() {
    group = MySqlGroup.of(directory, 3);
    servers = Failover.on(group, "group");
  }

  @AfterAll
  static void stop() {
    if (servers != null) {
      servers.close();
    }
    if (group != null) {
      group.close();
    }
  }

  @Test
  void row14_killedPrimaryLosesNothingAcknowledged() {
    kill("group_kill", 5, TARGET);
  }

  @Test
  void killedPrimaryLosesNothingAcknowledgedWithoutGrace() {
    kill("group_kill_at_once", 0, TARGET_WITHOUT_GRACE);
  }

  private static void kill(String name, int grace, Duration target) {
    group
        .members()
        .forEach(
            member ->
                member.execute("SET GLOBAL group_replication_member_expel_timeout = " + grace));
    AtomicReference<Duration> elected = new AtomicReference<>();
    servers.survive(
        name,
        () -> {
          MySqlMember primary = group.writer();
          return List.of(
              Step.of("the primary killed", () -> killAndWatch(primary, elected), target),
              Step.of("and back", primary::bringBack, TARGET_OF_SWITCH));
        });
    Figures.print("%s: the group had another primary after %.1f s", name, seconds(elected.get()));
  }

  /** Tells what of the time without a create is the group's own. */
  private static void killAndWatch(MySqlMember primary, AtomicReference<Duration> elected) {
    Stopwatch watch = Stopwatch.start();
    primary.kill();
    Thread thread =
        new Thread(
            () -> {
              await()
                  .forever()
                  .until(() -> group.members().stream().anyMatch(MySqlMember::isPrimary));
              elected.set(watch.elapsed());
            });
    thread.setDaemon(true);
    thread.start();
  }

  @Test
  void stoppedPrimaryLosesNothingAcknowledged() {
    servers.survive(
        "group_stop",
        () -> {
          MySqlMember primary = group.writer();
          return List.of(
              new Step("the primary stopped", primary::pause, STOP, TARGET),
              Step.of("and going on", primary::resume, TARGET));
        });
  }

  @Test
  void stoppedReaderLosesNothingAcknowledged() {
    servers.survive(
        "group_stop_reader",
        () -> {
          MySqlMember reader = group.reader();
          return List.of(
              new Step("another member stopped", reader::pause, STOP, TARGET),
              Step.of("and going on", reader::resume, TARGET));
        });
  }

  @Test
  void primaryWithoutMajorityLosesNothingAcknowledged() {
    servers.survive(
        "group_minority",
        () -> {
          MySqlMember primary = group.writer();
          List<MySqlMember> others =
              group.members().stream().filter(member -> member != primary).toList();
          return List.of(
              Step.of(
                  "both others stopped for a while",
                  () -> {
                    others.forEach(MySqlMember::pause);
                    Window.pass(STOP);
                    others.forEach(MySqlMember::resume);
                  },
                  STOP.plus(TARGET)));
        });
  }

  @Test
  void primaryThatLeavesLosesNothingAcknowledged() {
    servers.survive(
        "group_leave",
        () -> {
          MySqlMember primary = group.writer();
          return List.of(
              Step.of("the primary leaves", primary::isolate, TARGET_WITHOUT_GRACE),
              Step.of("and joins again", primary::rejoin, TARGET_OF_SWITCH));
        });
  }

  @Test
  void switchedPrimaryLosesNothingAcknowledged() {
    servers.survive(
        "group_switch",
        () -> {
          MySqlMember primary = group.writer();
          MySqlMember other = group.member(primary.number() == 3 ? 2 : 3);
          return List.of(
              Step.of("another made primary", other::takeOver, TARGET_OF_SWITCH),
              Step.of("and the old one again", primary::takeOver, TARGET_OF_SWITCH));
        });
  }

  @Test
  void memberThatTakesWritesOutsideItsGroupIsPassedBy() {
    servers.survive(
        "group_outside",
        () -> {
          MySqlMember first = group.member(1); // of the hosts that servers ask
          return List.of(
              Step.of("the first leaves", first::isolate, TARGET),
              Step.of("and takes writes", first::takeWrites, TARGET_OF_SWITCH),
              Step.of(
                  "another made primary",
                  () -> group.member(group.member(2).isPrimary() ? 3 : 2).takeOver(),
                  TARGET_OF_SWITCH),
              Step.of("and the first joins again", first::rejoin, TARGET_OF_SWITCH));
        });
  }

  @Test
  void groupOfSeveralPrimariesIsRefusedAtTheStart() {
    MySqlMember primary = group.writer();
    try (Cluster cluster = Cluster.on(group.given(), "group-primaries")) {
      primary.execute("DO group_replication_switch_to_multi_primary_mode()");
      ServerNode server = cluster.launchServer(plan -> plan);
      assertThat(server.awaitEnd(STOP.multipliedBy(4))).isTrue();
      assertThat(server.exitCode()).isNotZero();
      assertThat(server.hasPrinted("is a group of several primaries")).isTrue();
    } finally {
      primary.execute("DO group_replication_switch_to_single_primary_mode(@@server_uuid)");
    }
  }

  @Test
  void userWithoutAGrantToSeeTheGroupIsServed() {
    group
        .writer()
        .execute(
            "CREATE USER ordinary IDENTIFIED WITH mysql_native_password BY 'ordinary'",
            "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX, DROP ON asyncflow.*"
                + " TO ordinary");
    try (Cluster cluster = Cluster.on(group.given(), "group-ordinary")) {
      ServerNode server =
          cluster.startServer(
              plan ->
                  plan.withAll(
                      Map.of("FLOW_MYSQL_USER", "ordinary", "FLOW_MYSQL_PASSWORD", "ordinary")));
      server.client().saveTaskType(TaskTypeSettings.named("ordinary"));
      assertThat(server.client().createTask(NewTask.of("ordinary", "s", "u", "{}"))).isNotEmpty();
    }
  }
}
