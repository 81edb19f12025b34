package io.asyncflow.flowsvr.task.number;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.OwnSchema;
import io.asyncflow.flowsvr.base.system.Events;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch.Seen;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;
import org.springframework.boot.health.contributor.Status;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Servers that lease their numbers from one table, which no other test uses. */
@Tag("contract")
class ServerNumberIT {

  private final OwnSchema schema = new OwnSchema();
  private final JdbcClient jdbc = schema.jdbc();
  private final RetryingTransactions transactions =
      new RetryingTransactions(new JdbcTransactionManager(schema.connections()));
  private final ServerNumberStore store = new ServerNumberStore(jdbc, transactions);
  private final List<Object> events = new ArrayList<>();
  private final WriteOutageStore outages = new WriteOutageStore(jdbc, transactions);
  private final DatabaseWatch database = mock();
  private final List<Server> servers = new ArrayList<>();

  /** A server's monotonic clock, which a test can advance. */
  private static final class DrivenNode extends Node {
    private long aheadNanos;

    @Override
    public long nanoTime() {
      return super.nanoTime() + aheadNanos;
    }

    void letPass(Duration time) {
      aheadNanos += time.toNanos();
    }
  }

  private final class Server {
    final DrivenNode node = new DrivenNode();
    final ServerNumber number;

    Server(ServerLoad load) {
      when(database.seen()).thenReturn(new Seen("one", "", 0));
      number = new ServerNumber(store, outages, database, new Events(events::add), node, load);
    }

    Server start() {
      number.afterPropertiesSet();
      servers.add(this);
      return this;
    }

    long next() {
      return number.nextTaskNumber();
    }

    int serverNumber() {
      return (int) (next() >> 12 & 1_023);
    }

    long millisecond() {
      return (next() >> 22) + TaskNumbers.EPOCH_MS;
    }

    void stop() {
      servers.remove(this);
      number.destroy();
    }
  }

  private Server aServer() {
    return new Server(ServerLoad.NONE).start();
  }

  @AfterEach
  void stopAll() {
    List.copyOf(servers).forEach(Server::stop);
    schema.close();
  }

  private void leaseOf(int serverNumber, String assignments) {
    int changed =
        jdbc.sql("UPDATE t_server_number SET " + assignments + " WHERE server_number = :number")
            .param("number", serverNumber)
            .update();
    assertThat(changed).isEqualTo(1);
  }

  private long idTimeLimitOf(int serverNumber) {
    return jdbc.sql("SELECT id_time_limit FROM t_server_number WHERE server_number = :number")
        .param("number", serverNumber)
        .query(Long.class)
        .single();
  }

  private static void assertGivesNoNumber(Server server) {
    assertThatThrownBy(server::next)
        .isInstanceOfSatisfying(
            FlowException.class,
            e -> {
              assertThat(e.errorCode()).isEqualTo(ErrorCode.UNAVAILABLE);
              assertThat(e.retryable()).isTrue();
            });
  }

  @Test
  void isNotReadyAfterTwoBeatsThatWereNotStored() {
    Server server = aServer();
    Supplier<Status> writes = () -> server.number.writesHealthIndicator().health().getStatus();
    jdbc.sql("RENAME TABLE t_server_number TO t_away").update();
    assertThatThrownBy(server.number::runOnce).isInstanceOf(BadSqlGrammarException.class);
    assertThat(writes.get()).isEqualTo(Status.UP);

    assertThatThrownBy(server.number::runOnce).isInstanceOf(BadSqlGrammarException.class);
    assertThat(writes.get()).isEqualTo(Status.DOWN);

    jdbc.sql("RENAME TABLE t_away TO t_server_number").update();
    server.number.runOnce();
    assertThat(writes.get()).isEqualTo(Status.UP);
  }

  @Test
  void learnsOnceForHowLongTheServersHaveSeenNoOtherStep() {
    Server first = aServer();
    Server second = aServer();
    Server third = aServer();
    when(database.seen()).thenReturn(new Seen("one", "3:1", 5));
    first.number.runOnce();
    assertThat(ageTold("3:1")).as("nothing is known of another").isGreaterThan(Duration.ofDays(9));

    when(database.seen()).thenReturn(new Seen("one", "3:1", 500_000));
    first.number.runOnce();
    second.number.runOnce();
    assertThat(ageTold("3:1")).isBetween(Duration.ofSeconds(500), Duration.ofSeconds(560));

    first.stop();
    assertThat(store.stepAge("3:2")).as("it was there a moment ago").isLessThan(ServerNumber.LEASE);
    when(database.seen()).thenReturn(new Seen("one", "3:2", 1));
    second.number.runOnce();
    when(database.seen()).thenReturn(new Seen("one", "", 0));
    second.number.runOnce();
    when(database.seen()).thenReturn(new Seen("one", "3:1", 1));
    third.number.runOnce();
    assertThat(ageTold("3:1")).as("since the other one").isLessThan(ServerNumber.LEASE);
  }

  private Duration ageTold(String step) {
    ArgumentCaptor<Duration> age = ArgumentCaptor.captor();
    verify(database).seeStepAge(eq(step), age.capture());
    clearInvocations(database);
    return age.getValue();
  }

  @Test
  void countsTheDatabasesThatServersHaveWrittenToForLongerThanTwoBeats() {
    Server first = aServer();
    Server second = aServer();
    first.number.runOnce();
    when(database.seen()).thenReturn(new Seen("another", "", 0));
    second.number.runOnce();
    assertThat(store.writers()).as("a moment after a switch").isZero();

    jdbc.sql("UPDATE t_server_number SET database_since = 1").update();
    for (int beat = 0; beat < 4; beat++) {
      second.number.runOnce();
    }

    verify(database).seeWriters(2);
  }

  @Test
  void serversThatStartTogetherGetNumbersOfTheirOwn() {
    List<Integer> numbers =
        AtOnce.from(
            24,
            i ->
                store
                    .acquire(new DrivenNode(), ServerLoad.NONE, Duration.ofMinutes(1))
                    .serverNumber());

    assertThat(numbers).doesNotHaveDuplicates().allMatch(number -> number >= 0 && number < 64);
  }

  @Test
  void idsOfServersAreUniqueAndInTheOrderOfTime() {
    Server a = aServer();
    Server b = aServer();
    Set<Long> all = new HashSet<>();
    for (long[] made :
        AtOnce.from(
            4, i -> LongStream.generate((i % 2 == 0 ? a : b)::next).limit(25_000).toArray())) {
      LongStream.of(made).forEach(all::add);
    }
    assertThat(all).hasSize(100_000);

    Server c = aServer();
    Server d = aServer();
    assertThat(Math.abs(c.millisecond() - d.millisecond()))
        .as("both follow the database's clock")
        .isLessThan(5_000);
  }

  @Test
  void numberIsLentAnewOnlyAfterItsLeaseAndTheNextOwnerStartsBehindTheLimit() {
    Server old = aServer();
    int number = old.serverNumber();
    assertThat(aServer().serverNumber()).isNotEqualTo(number);

    leaseOf(number, "lease_end = 1, id_time_limit = id_time_limit + 3600000");
    long limit = idTimeLimitOf(number);
    Server next = aServer();

    assertThat(next.serverNumber()).isEqualTo(number);
    assertThat(next.millisecond()).as("even where that lies ahead").isGreaterThan(limit);
    assertThat(next.next()).isGreaterThan(old.next());
  }

  @Test
  void serverThatLostItsNumberGivesNoneUntilItHasLeasedAnother() {
    Server slept = aServer();
    int number = slept.serverNumber();
    long last = slept.next();
    leaseOf(number, "lease_end = 1");
    Server other = aServer();
    assertThat(other.serverNumber()).isEqualTo(number);

    slept.node.letPass(Duration.ofSeconds(50));
    assertGivesNoNumber(slept);

    slept.number.renew();
    assertThat(slept.serverNumber()).isNotEqualTo(number);
    assertThat(slept.next()).isGreaterThan(last);
    other.number.renew();
    assertThat(other.serverNumber()).isEqualTo(number);
  }

  @Test
  void renewalKeepsTheNumberAndTheOrder() {
    Server server = aServer();
    int number = server.serverNumber();
    long last = server.next();
    for (int i = 0; i < 20; i++) {
      server.node.letPass(Duration.ofSeconds(10));
      server.number.renew();
      assertThat(server.serverNumber()).isEqualTo(number);
      long next = server.next();
      assertThat(next).isGreaterThan(last);
      last = next;
    }
  }

  @Test
  void ownersLeaseThatRanOutIsRenewedIfNobodyTookTheNumber() {
    Server server = aServer();
    int number = server.serverNumber();
    leaseOf(number, "lease_end = 1");
    server.node.letPass(Duration.ofMinutes(2));
    assertGivesNoNumber(server);

    server.number.renew();

    assertThat(server.serverNumber()).isEqualTo(number);
  }

  @Test
  void serverThatStopsGivesItsNumberBackAndTheNextOwnerMakesHigherIds() {
    Server first = aServer();
    int number = first.serverNumber();
    long last = first.next();
    first.stop();
    assertGivesNoNumber(first);

    Server second = aServer();

    assertThat(second.serverNumber()).isEqualTo(number);
    assertThat(second.next()).isGreaterThan(last);
  }

  @Test
  void ownersComeAndGoAndEveryIdIsHigherThanTheOnesBefore() {
    long last = 0;
    for (int i = 0; i < 10; i++) {
      Server server = aServer();
      for (int k = 0; k < 9_000; k++) { // more than two milliseconds hold: it runs ahead
        long next = server.next();
        assertThat(next).isGreaterThan(last);
        last = next;
      }
      assertThat(server.serverNumber()).isZero();
      server.stop();
    }
  }

  @Test
  void onlyNumbersThatNobodyHeldForADayAreForgotten() {
    aServer();
    Server left = aServer();
    Server longGone = aServer();
    left.stop();
    longGone.stop();
    leaseOf(2, "id_time_limit = id_time_limit - 90000000");

    assertThat(store.deleteUnused(Duration.ofDays(1), 100)).isEqualTo(1);

    assertThat(
            jdbc.sql("SELECT server_number FROM t_server_number ORDER BY server_number")
                .query(Integer.class)
                .list())
        .containsExactly(0, 1);
  }

  @Test
  void beatTellsOthersThatTheServerIsAliveAndWhatItCarries() {
    LiveServers live = new LiveServers(store);
    Server server =
        new Server(
                new ServerLoad() {
                  @Override
                  public int weight() {
                    return 300;
                  }

                  @Override
                  public int busy() {
                    return 12;
                  }
                })
            .start();
    int number = server.serverNumber();
    long limit = idTimeLimitOf(number);
    leaseOf(number, "lease_end = lease_end - 20000, busy = 0");
    assertThat(live.list()).hasSize(1);
    assertThat(live.thatBeatWithin(Duration.ofSeconds(9))).isEmpty();

    server.number.runOnce();

    assertThat(live.thatBeatWithin(Duration.ofSeconds(9)))
        .singleElement()
        .satisfies(
            seen -> {
              assertThat(seen.node()).isEqualTo(server.node.id());
              assertThat(seen.weight()).isEqualTo(300);
              assertThat(seen.busy()).isEqualTo(12);
            });
    assertThat(idTimeLimitOf(number)).as("no more numbers by a beat").isEqualTo(limit);
  }

  @Test
  void beatThatFindsTheNumberTakenBorrowsAnother() {
    Server slept = aServer();
    int number = slept.serverNumber();
    leaseOf(number, "lease_end = 1");
    assertThat(aServer().serverNumber()).isEqualTo(number);

    slept.number.runOnce();

    assertThat(slept.serverNumber()).isNotEqualTo(number);
  }

  @Test
  void timeInWhichNoServerBeatIsRecordedByTheFirstWriteAfterIt() {
    Server a = aServer();
    Server b = aServer();
    assertThat(outages.known().outages()).isEmpty();
    leaseOf(a.serverNumber(), "beat_time = beat_time - 47000");
    leaseOf(b.serverNumber(), "beat_time = beat_time - 45000");
    WriteOutageStore.Known during = outages.known();
    assertThat(during.outages())
        .as("a sweep that is sooner than the first beat sees it, too")
        .singleElement()
        .satisfies(outage -> assertThat(outage.end()).isEqualTo(during.now()));

    List.of(b, a).forEach(server -> server.node.letPass(Duration.ofSeconds(5)));
    b.number.runOnce();
    a.number.runOnce();

    WriteOutageStore.Known known = outages.known();
    assertThat(known.outages())
        .singleElement()
        .satisfies(
            outage -> {
              assertThat(outage.start()).isEqualTo(during.outages().get(0).start());
              assertThat(outage.end()).isBetween(during.now(), known.now());
            });
    assertThat(known.sweptUntil(Duration.ofMinutes(1))).isEqualTo(known.outages().get(0).start());
  }

  @Test
  void serverSaysWhenWritesWorkAgain() {
    Server server = aServer();
    jdbc.sql("RENAME TABLE t_server_number TO away").update();
    assertThatThrownBy(server.number::runOnce).isInstanceOf(DataAccessException.class);
    jdbc.sql("RENAME TABLE away TO t_server_number").update();
    assertThat(events).isEmpty();

    server.number.runOnce();
    server.number.runOnce();

    assertThat(events).containsExactly(new WritesWorkAgain());
  }

  @Test
  void oneServerThatIsDownIsNoOutage() {
    Server up = aServer();
    Server down = aServer();
    leaseOf(down.serverNumber(), "beat_time = beat_time - 600000");

    up.number.runOnce();
    down.number.runOnce();

    assertThat(outages.known().outages()).isEmpty();
  }

  @Test
  void timeInWhichAllServersWereDownIsAnOutageForTheFirstThatStarts() {
    Server last = aServer();
    int number = last.serverNumber();
    last.stop();
    leaseOf(number, "beat_time = beat_time - 60000");

    aServer().stop();
    aServer();

    assertThat(outages.known().outages())
        .singleElement()
        .satisfies(
            outage -> assertThat(outage.end() - outage.start()).isGreaterThanOrEqualTo(60_000));
  }

  @Test
  void outageOfLongAgoIsForgottenAtTheNext() {
    Server server = aServer();
    jdbc.sql("INSERT INTO t_write_outage (start_time, end_time) VALUES (1, 2)").update();
    leaseOf(server.serverNumber(), "beat_time = beat_time - 10000");
    server.node.letPass(Duration.ofSeconds(10));

    server.number.runOnce();

    assertThat(outages.known().outages())
        .singleElement()
        .satisfies(outage -> assertThat(outage.start()).isGreaterThan(2));
  }

  @Test
  void whenAllNumbersAreHeldTheServerSaysSo() {
    aServer();
    StringBuilder rows = new StringBuilder();
    for (int i = 1; i < TaskNumbers.MAX_SERVERS; i++) {
      rows.append(i == 1 ? "" : ", ").append("(").append(i).append(", 'x', 9000000000000, 1)");
    }
    jdbc.sql(
            "INSERT INTO t_server_number (server_number, owner, lease_end, id_time_limit) VALUES "
                + rows)
        .update();

    assertThatThrownBy(this::aServer)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("all 1024 server numbers are leased");

    leaseOf(77, "lease_end = 1");
    assertThat(aServer().serverNumber()).isEqualTo(77);
  }
}
