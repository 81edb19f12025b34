package io.asyncflow.systemtest.fault.schedule;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static java.util.Comparator.comparingLong;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.FakedClock;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.history.ScheduleAudit;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Schedules on a database whose clock jumps. The number is a row of the matrix. */
@Tag("faults")
@Timeout(300)
class DatabaseClockFaultsIT {

  private static final int SERVERS = 3;
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration TWO_LEASES = Duration.ofSeconds(20);
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  /** A fire time of longer ago is late, and the catch-up policy decides about it. */
  private static final Duration LATE = Duration.ofSeconds(60);

  /** How long before its time a fire is made at the earliest. */
  private static final Duration AHEAD = Duration.ofSeconds(30);

  /** Of schedules that catch up all. */
  private static final int LIMIT = 5;

  private static final int OF_ANY_POLICY = 48;
  private static final int OF_EACH_CATCH_UP = 6;

  @Test
  void row33_databaseWhoseClockJumpsJustAfterAnOwnerWasKilled(@TempDir Path clocks) {
    FakedClock clock = FakedClock.in(clocks, "database", Duration.ZERO);
    try (Cluster cluster = Cluster.startWithoutRedis("row33", clock.variables())) {
      List<ServerNode> servers = cluster.startServers(SERVERS);
      try (Ticking ticking = Ticking.on(cluster, "row33");
          SliceWatch watch = SliceWatch.on(cluster)) {
        ticking.saveOfAnyPolicy(OF_ANY_POLICY);
        Map<Long, Integer> most = saveOfAnyCatchUp(ticking);
        await().atMost(PATIENCE).until(() -> Slices.read(cluster).areOwned());
        ticking.awaitFatesUntil(ticking.now() + Duration.ofSeconds(2).toMillis());

        ServerNode first = ownerOfMost(ticking, servers);
        final Duration back = killAndJump(ticking, first, clock, HOUR.negated());
        first.start();
        first.awaitReady();

        List<ServerNode> others = servers.stream().filter(server -> server != first).toList();
        long now = ticking.now() + HOUR.toMillis();
        final Duration ahead = killAndJump(ticking, ownerOfMost(ticking, others), clock, HOUR);
        ticking.awaitFatesUntil(ticking.now());
        ticking.stop();

        ScheduleAudit audit = ticking.audit();
        Map<Long, Long> caughtUp =
            fires(audit, now + AHEAD.toMillis(), now + HOUR.minus(LATE).toMillis());
        Figures.print(
            "row 33: clock of the database set back by an hour when an owner was killed: its slices"
                + " had other owners after %.1f s (target %s s); then set forward by two hours when"
                + " another was killed: after %.1f s; of the hour that was left out, %s schedules of"
                + " one second made %s fires, within their catch-up policies",
            seconds(back),
            TWO_LEASES.toSeconds(),
            seconds(ahead),
            audit.schedules().size(),
            caughtUp.values().stream().mapToLong(Long::longValue).sum());
        assertThat(Ticking.violations(audit)).as("none is early, none is double").isEmpty();
        assertThat(watch.contradictions()).isEmpty();
        assertThat(caughtUp)
            .allSatisfy(
                (id, fires) ->
                    assertThat(fires).isLessThanOrEqualTo(most.getOrDefault(id, 1).longValue()));
      }
    }
  }

  /** Saves schedules by each catch-up policy but the default; returns the most fires of each. */
  private static Map<Long, Integer> saveOfAnyCatchUp(Ticking ticking) {
    Map<Long, Integer> most = new HashMap<>();
    for (int i = 0; i < OF_EACH_CATCH_UP; i++) {
      NewSchedule none = ticking.eachSecond(OF_ANY_POLICY + i).catchUp(CatchUp.NONE);
      NewSchedule some = ticking.eachSecond(OF_ANY_POLICY + OF_EACH_CATCH_UP + i);
      List<SavedSchedule> saved =
          ticking.save(List.of(none, some.catchUp(CatchUp.ALL).catchUpLimit(LIMIT)));
      most.put(Long.valueOf(saved.get(0).scheduleId()), 0);
      most.put(Long.valueOf(saved.get(1).scheduleId()), LIMIT);
    }
    return most;
  }

  /** Of servers that were started once. */
  private static ServerNode ownerOfMost(Ticking ticking, List<ServerNode> servers) {
    return Collections.max(servers, comparingLong(server -> ticking.number(slicesOf(server))));
  }

  /** A statement that counts the slices of a server, whatever the clock says of their leases. */
  private static String slicesOf(ServerNode server) {
    int number =
        IntStream.range(0, SERVERS)
            .filter(n -> server.hasPrinted("has the number " + n + System.lineSeparator()))
            .findFirst()
            .orElseThrow();
    return """
    SELECT COUNT(*)
    FROM t_schedule_slice s
    JOIN t_server_number n ON n.owner = s.owner
    WHERE n.server_number = %s
    """
        .formatted(number);
  }

  /** Returns how long it takes until none of the slices is the killed server's. */
  private static Duration killAndJump(
      Ticking ticking, ServerNode victim, FakedClock clock, Duration offset) {
    String slices = slicesOf(victim);
    victim.kill();
    clock.jumpTo(offset);
    Stopwatch killed = Stopwatch.start();
    await()
        .atMost(TWO_LEASES.multipliedBy(3))
        .pollInterval(Duration.ofMillis(100))
        .until(() -> ticking.number(slices) == 0);
    return killed.elapsed();
  }

  /** How many fires each schedule made, of the fire times in this stretch. */
  private static Map<Long, Long> fires(ScheduleAudit audit, long from, long to) {
    return audit.fires().stream()
        .filter(fire -> fire.outcome() == FireOutcome.CREATED)
        .filter(fire -> from <= fire.fireTime() && fire.fireTime() < to)
        .collect(groupingBy(ScheduleAudit.Fire::schedule, counting()));
  }
}
