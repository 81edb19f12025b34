package io.asyncflow.flowsvr.compose.schedule.slice;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.OwnSchema;
import io.asyncflow.flowsvr.StatementCounter;
import io.asyncflow.flowsvr.base.leader.LeaderElection;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.task.number.LiveServers;
import io.asyncflow.flowsvr.task.number.LiveServers.LiveServer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Servers whose rounds and monotonic clock the test drives, on one database. */
@Tag("contract")
class SliceRoundsIT {

  private static final Duration ROUND = Duration.ofSeconds(3);
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static OwnSchema schema;
  private static JdbcClient jdbc;

  private final AtomicLong nanos = new AtomicLong(1_000);
  private final List<Server> live = new ArrayList<>();
  private boolean inUse = true;

  @BeforeAll
  static void open() {
    schema = new OwnSchema();
    jdbc = schema.jdbc();
  }

  @AfterAll
  static void close() {
    schema.close();
  }

  @BeforeEach
  void vacantSlices() {
    jdbc.sql(
            "UPDATE t_schedule_slice SET owner = '', epoch = 0, lease_end = 0,"
                + " take_time = 0, load_ = 0, schedules = 0")
        .update();
    jdbc.sql("DELETE FROM t_schedule").update();
  }

  private static SliceStore storeOn(DataSource connections) {
    return new SliceStore(
        JdbcClient.create(connections),
        new RetryingTransactions(new JdbcTransactionManager(connections)));
  }

  private final class Server extends Node {
    final String name;
    final SliceStore store;
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final int weight;
    final SliceRounds rounds;
    Duration silent = Duration.ZERO;

    Server(String name, int weight, SliceStore store) {
      this.name = name;
      this.weight = weight;
      this.store = store;
      this.rounds =
          new SliceRounds(
              store,
              liveServers(),
              this,
              new SliceSettings(true, weight, LEASE),
              () -> inUse,
              mock(LeaderElection.class),
              new TaskMeters(meters),
              meters);
    }

    private LiveServers liveServers() {
      LiveServers servers = mock(LiveServers.class);
      when(servers.thatBeatWithin(any()))
          .thenAnswer(
              call ->
                  live.stream()
                      .filter(s -> s.silent.compareTo(call.getArgument(0)) < 0)
                      .map(this::view)
                      .toList());
      return servers;
    }

    private LiveServer view(Server server) {
      return new LiveServer(server.name, "host", 1, 0, 0, "", server.weight, 0);
    }

    @Override
    public String id() {
      return name;
    }

    @Override
    public long nanoTime() {
      return nanos.get();
    }

    double takes(String how) {
      return meters.counter("asyncflow.schedule.slices.takes", "how", how).count();
    }

    void dies() {
      live.remove(this);
      jdbc.sql("UPDATE t_schedule_slice SET lease_end = 1 WHERE owner = :owner")
          .param("owner", name)
          .update();
    }
  }

  private Server joins(String name, int weight) {
    Server server = new Server(name, weight, storeOn(schema.connections()));
    live.add(server);
    return server;
  }

  private Server joins(String name) {
    return joins(name, 100);
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  /** A round of each live server, one after the other, 3 s after the round before. */
  private void round() {
    pass(ROUND);
    live.forEach(server -> server.rounds.runOnce());
    Set<Integer> trusted = new HashSet<>();
    for (Server server : live) {
      for (OwnedSlice slice : server.rounds.trusted()) {
        assertThat(trusted.add(slice.slice())).as("slice %s has one owner", slice).isTrue();
      }
    }
  }

  private static Map<Integer, SliceStore.Row> rows() {
    return storeOn(schema.connections()).all().stream()
        .collect(toMap(SliceStore.Row::slice, row -> row));
  }

  @Test
  void firstServerTakesAllSlicesAndKeepsThemByRenewing() {
    Server a = joins("a");
    a.rounds.runOnce();
    round();
    round();

    assertThat(a.rounds.trusted()).hasSize(64).allMatch(slice -> slice.epoch() == 1);
    assertThat(rows().values())
        .hasSize(64)
        .allMatch(row -> row.owner().equals("a") && row.epoch() == 1 && row.takeTime() > 0)
        .allMatch(row -> row.leaseMs() > 0 && row.leaseMs() <= LEASE.toMillis());
    assertThat(a.takes("vacant")).isEqualTo(64);
  }

  @Test
  void leaseIsTrustedForEightSecondsFromItsRequest() {
    Server a = joins("a");
    a.rounds.runOnce();

    pass(Duration.ofMillis(7_999));
    assertThat(a.rounds.trusted()).hasSize(64);
    pass(Duration.ofMillis(1));
    assertThat(a.rounds.trusted()).isEmpty();

    a.rounds.runOnce();
    assertThat(a.rounds.trusted()).as("no other server took them").hasSize(64);
  }

  @Test
  void slicesOfADeadServerAreTakenAtTheNextEpochAndItDropsThemAtOnce() {
    Server a = joins("a");
    a.rounds.runOnce();
    a.dies();
    Server b = joins("b");

    b.rounds.runOnce();
    assertThat(b.rounds.trusted()).hasSize(64).allMatch(slice -> slice.epoch() == 2);

    a.rounds.runOnce();
    assertThat(a.rounds.trusted()).as("it woke up late").isEmpty();
    assertThat(rows().values()).allMatch(row -> row.owner().equals("b") && row.epoch() == 2);
  }

  @Test
  void slicesOfAServerThatDiedBeforeTheClockWasSetBackAreTakenAfterALease() {
    Server a = joins("a");
    a.rounds.runOnce();
    live.remove(a);
    jdbc.sql("UPDATE t_schedule_slice SET lease_end = lease_end + 3600000").update();
    Server b = joins("b");

    b.rounds.runOnce();
    pass(LEASE.minusMillis(1));
    b.rounds.runOnce();
    assertThat(b.rounds.trusted()).isEmpty();
    pass(Duration.ofMillis(1));
    b.rounds.runOnce();

    assertThat(b.rounds.trusted()).hasSize(64).allMatch(slice -> slice.epoch() == 2);
    assertThat(rows().get(0).leaseMs()).isLessThanOrEqualTo(LEASE.toMillis());
  }

  @Test
  void leasesThatAreRenewedAreNeverWatchedOut() {
    Server a = joins("a", 10_000);
    Server b = joins("b", 1);
    a.rounds.runOnce();
    for (int i = 0; i < 8; i++) {
      jdbc.sql("UPDATE t_schedule_slice SET lease_end = lease_end + 3600000 + " + i).update();
      round();
    }

    assertThat(a.rounds.trusted()).hasSize(64).allMatch(slice -> slice.epoch() == 1);
    assertThat(b.takes("vacant")).as("it has room for one").isZero();
  }

  @Test
  void serverThatJoinsIsHandedItsShareAndNoSliceIsEverWithoutOwner() {
    Server a = joins("a");
    a.rounds.runOnce();
    Server b = joins("b");
    Server c = joins("c");

    Map<Integer, SliceStore.Row> before = rows();
    for (int i = 0; i < 20; i++) { // a minute
      round();
      Map<Integer, SliceStore.Row> after = rows();
      int moved = 0;
      for (int slice = 0; slice < 64; slice++) {
        SliceStore.Row was = before.get(slice);
        SliceStore.Row is = after.get(slice);
        assertThat(is.isOver()).isFalse();
        boolean hasMoved = !is.owner().equals(was.owner());
        assertThat(is.epoch()).isEqualTo(was.epoch() + (hasMoved ? 1 : 0));
        moved += hasMoved ? 1 : 0;
      }
      assertThat(moved).isLessThanOrEqualTo(6);
      before = after;
    }

    for (Server server : live) {
      assertThat(server.rounds.trusted()).as(server.name).hasSizeBetween(21, 22);
    }
    assertThat(b.takes("handed") + c.takes("handed")).isBetween(42.0, 43.0);
    assertThat(b.takes("vacant")).isZero();
    Map<Integer, SliceStore.Row> atRest = rows();
    for (int i = 0; i < 10; i++) {
      round();
    }
    assertThat(rows().values())
        .as("nothing moves any more")
        .allMatch(row -> row.epoch() == atRest.get(row.slice()).epoch());
  }

  @Test
  void oneToThreeGivesSixteenToFortyEight() {
    Server a = joins("a", 100);
    a.rounds.runOnce();
    Server b = joins("b", 300);
    for (int i = 0; i < 25; i++) {
      round();
    }

    assertThat(a.rounds.trusted()).hasSizeBetween(15, 17);
    assertThat(b.rounds.trusted()).hasSizeBetween(47, 49);
  }

  @Test
  void serverThatDoesNotBeatYetIsNotWaitedFor() {
    Server a = joins("a");
    joins("b").silent = Duration.ofSeconds(25); // it has not noticed the first schedule

    a.rounds.runOnce();

    assertThat(a.rounds.trusted()).hasSize(64);
  }

  @Test
  void shareOfAServerThatDiedAMomentAgoIsTakenInTheNextRound() {
    Server a = joins("a");
    joins("b").silent = Duration.ofSeconds(5); // dead, but that is not known yet

    a.rounds.runOnce();
    assertThat(a.rounds.trusted()).hasSize(32);
    assertThat(a.rounds.pause()).isEqualTo(Duration.ofSeconds(1));
    pass(Duration.ofSeconds(1));
    a.rounds.runOnce();

    assertThat(a.rounds.trusted()).hasSize(64);
    assertThat(a.rounds.pause()).isEqualTo(ROUND);
  }

  @Test
  void roundFollowsTheEndOfAnotherServersLease() {
    Server a = joins("a");
    a.rounds.runOnce();
    Server b = joins("b");
    b.rounds.runOnce();
    assertThat(b.rounds.pause()).isEqualTo(ROUND);

    jdbc.sql("UPDATE t_schedule_slice SET lease_end = lease_end - 8000 WHERE slice = 7").update();
    b.rounds.runOnce();

    assertThat(b.rounds.pause()).isBetween(Duration.ofMillis(500), Duration.ofMillis(2_050));
  }

  @Test
  void ofManyThatTakeTheSameSlicesOneWinsEach() {
    List<Server> takers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      takers.add(new Server("n" + i, 100, storeOn(schema.connections())));
    }
    for (int race = 1; race <= 5; race++) {
      List<SliceStore.Row> seen = storeOn(schema.connections()).all();
      List<List<Integer>> won =
          AtOnce.from(
              takers.size(),
              i -> {
                Server taker = takers.get(i);
                return seen.stream()
                    .filter(row -> taker.store.give(row, taker.name, false, LEASE))
                    .map(SliceStore.Row::slice)
                    .toList();
              });

      assertThat(won.stream().flatMap(List::stream).toList()).hasSize(64).doesNotHaveDuplicates();
      int epoch = race;
      assertThat(rows().values()).allMatch(row -> row.epoch() == epoch);
      jdbc.sql("UPDATE t_schedule_slice SET lease_end = 1").update();
    }
  }

  @Test
  void concurrentRoundsGiveEachSliceOneOwner() {
    for (int i = 0; i < 4; i++) {
      joins("n" + i);
    }
    for (int i = 0; i < 10; i++) {
      pass(ROUND);
      AtOnce.from(
          4,
          n -> {
            live.get(n).rounds.runOnce();
            return n;
          });
    }

    List<OwnedSlice> trusted = live.stream().flatMap(s -> s.rounds.trusted().stream()).toList();
    assertThat(trusted).extracting(OwnedSlice::slice).hasSize(64).doesNotHaveDuplicates();
    Map<Integer, SliceStore.Row> rows = rows();
    assertThat(trusted).allMatch(slice -> rows.get(slice.slice()).epoch() == slice.epoch());
    live.forEach(server -> assertThat(server.rounds.trusted()).hasSizeBetween(15, 17));
  }

  @Test
  void sliceInUseIsHandedOverWhenTheUseEndsAndNoLaterUseIncludesIt() {
    Server a = joins("a");
    a.rounds.runOnce();
    Server b = joins("b", 4); // two slices of 64

    SliceUse batch = a.rounds.use();
    assertThat(batch.slices()).hasSize(64);
    for (int i = 0; i < 4; i++) {
      round();
    }
    assertThat(rows().values()).allMatch(row -> row.owner().equals("a") && row.epoch() == 1);
    List<OwnedSlice> kept = a.rounds.trusted();
    assertThat(kept).as("without what shall be handed over").hasSize(62);
    batch.close();
    SliceUse next = a.rounds.use();
    assertThat(next.slices()).isEqualTo(kept);
    pass(ROUND);
    a.rounds.runOnce();
    next.close();

    assertThat(a.rounds.trusted()).isEqualTo(kept);
    b.rounds.runOnce();
    assertThat(b.rounds.trusted())
        .hasSize(2)
        .allMatch(slice -> slice.epoch() == 2 && !kept.contains(new OwnedSlice(slice.slice(), 1)));
  }

  @Test
  void guardsOfWritesNameWhatWasRead() {
    Server a = joins("a");
    a.rounds.runOnce();
    SliceStore store = a.store;
    SliceStore.Row seen = rows().get(3);

    assertThat(store.give(seen, "b", false, LEASE)).as("the lease lives").isFalse();
    assertThat(store.give(as(seen, "x", 1), "b", true, LEASE)).as("another owner").isFalse();
    assertThat(store.give(as(seen, "a", 0), "b", true, LEASE)).as("an old epoch").isFalse();
    assertThat(store.give(seen, "b", true, LEASE)).isTrue();
    assertThat(store.give(seen, "b", true, LEASE)).as("handed over before").isFalse();
    assertThat(store.give(as(rows().get(3), "b", 1), "c", true, LEASE))
        .as("watched out, at an old epoch")
        .isFalse();
  }

  private static SliceStore.Row as(SliceStore.Row row, String owner, long epoch) {
    return new SliceStore.Row(
        row.slice(),
        owner,
        epoch,
        row.leaseEnd(),
        row.leaseMs(),
        row.takeTime(),
        row.load(),
        row.schedules());
  }

  @Test
  void serverThatStopsLeavesItsSlicesToTheNextRoundOfTheOthers() {
    Server a = joins("a");
    Server b = joins("b");
    a.rounds.runOnce();
    b.rounds.runOnce();
    assertThat(a.rounds.trusted()).hasSize(32);

    a.rounds.destroy();
    live.remove(a);
    assertThat(a.rounds.trusted()).isEmpty();
    a.rounds.runOnce();
    b.rounds.runOnce();

    assertThat(b.rounds.trusted()).hasSize(64);
  }

  @Test
  void serverWithoutWeightOwnsNothing() {
    Server idle = joins("idle", 0);
    idle.rounds.runOnce();

    assertThat(idle.rounds.trusted()).isEmpty();
    assertThat(idle.rounds.weight()).isZero();
  }

  @Test
  void aRoundCountsTheSchedulesOfAFewSlices() {
    Server a = joins("a");
    a.rounds.runOnce();
    for (int slice = 0; slice < 64; slice++) {
      aSchedule(slice, slice, 1, 1_000);
    }

    for (int counted = 4; counted <= 64; counted += 4) {
      round();
      assertThat(rows().values().stream().filter(row -> row.schedules() == 1)).hasSize(counted);
    }
  }

  @Test
  void loadsAreCountedOnceAMinuteAndDecideTheShares() {
    Server a = joins("a");
    a.rounds.runOnce();
    for (int i = 0; i < 8; i++) {
      aSchedule(i, i, 1, 1_000);
    }
    aSchedule(100, 0, 1, 500);
    aSchedule(101, 9, 2, 700); // paused

    for (int i = 0; i < 16; i++) {
      round();
    }
    assertThat(rows().get(0)).matches(row -> row.load() == 1_500 && row.schedules() == 2);
    assertThat(rows().get(7)).matches(row -> row.load() == 1_000 && row.schedules() == 1);
    assertThat(rows().get(9)).matches(row -> row.load() == 0 && row.schedules() == 0);
    round();
    assertThat(a.rounds.activeSchedules()).isEqualTo(9);
    assertThat(a.rounds.pausedSchedules()).isEqualTo(1);

    jdbc.sql("DELETE FROM t_schedule WHERE id = 7").update();
    round();
    assertThat(rows().get(7).schedules()).as("not yet").isEqualTo(1);
    for (int i = 0; i < 16; i++) {
      round();
    }
    assertThat(rows().get(7)).matches(row -> row.load() == 0 && row.schedules() == 0);

    Server b = joins("b");
    for (int i = 0; i < 60; i++) {
      round();
    }
    for (Server server : live) {
      long load =
          server.rounds.trusted().stream().mapToLong(s -> rows().get(s.slice()).load()).sum();
      assertThat(load).as(server.name).isBetween(3_500L, 4_000L);
    }
    assertThat(b.rounds.trusted()).isNotEmpty();
    assertThat(a.rounds.activeSchedules() + b.rounds.activeSchedules()).isEqualTo(8);
    assertThat(a.rounds.pausedSchedules() + b.rounds.pausedSchedules()).isEqualTo(1);
    pass(LEASE);
    assertThat(a.rounds.activeSchedules() + a.rounds.pausedSchedules())
        .as("another server may own them")
        .isZero();
  }

  private static void aSchedule(long id, int slice, int state, int load) {
    jdbc.sql(
            """
            INSERT INTO t_schedule (id, name, slice, state, version, body_hash, every_ms, overlap, catch_up,
              catch_up_ms, catch_up_limit, jitter_ms, pause_after, weight, load_, target,
              target_type, target_is_job, create_time, modify_time)
            VALUES (:id, CONCAT('s', :id), :slice, :state, 1, UNHEX(SHA2(:id, 256)), 60000, 1, 1,
              0, 100, 0, 0, 1, :load, '{}', 'lark', 0, 1, 1)
            """)
        .param("id", id)
        .param("slice", slice)
        .param("state", state)
        .param("load", load)
        .update();
  }

  @Test
  void roundAtRestSendsThreeStatementsAndNoneWithoutSchedules() {
    String url = schema.connections().getJdbcUrl();
    SingleConnectionDataSource connection =
        new SingleConnectionDataSource(
            url
                + (url.contains("?") ? "&" : "?")
                + "queryInterceptors=io.asyncflow.flowsvr.StatementCounter",
            schema.connections().getUsername(),
            schema.connections().getPassword(),
            true);
    try {
      Server a = new Server("a", 100, storeOn(connection));
      live.add(a);
      a.rounds.runOnce();
      round();

      List<Long> each = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        long before = StatementCounter.ofThisThread();
        pass(ROUND);
        a.rounds.runOnce();
        each.add(StatementCounter.ofThisThread() - before);
      }
      System.out.printf(Locale.ROOT, "statements of each round at rest: %s%n", each);
      assertThat(each).allMatch(count -> count <= 3);

      inUse = false;
      long before = StatementCounter.ofThisThread();
      a.rounds.runOnce();
      assertThat(StatementCounter.ofThisThread()).isEqualTo(before);
      assertThat(a.rounds.trusted()).isEmpty();
    } finally {
      connection.destroy();
    }
  }

  @Test
  void serverTellsHowBusyItIs() {
    Server a = joins("a");
    a.rounds.runOnce();
    for (int i = 0; i < 60; i++) {
      try (SliceUse use = a.rounds.use()) {
        assertThat(use.slices()).isNotEmpty();
        pass(Duration.ofMillis(1_500));
      }
      pass(Duration.ofMillis(1_500));
      a.rounds.runOnce();
    }

    assertThat(a.rounds.busy()).isBetween(45, 50);
  }
}
