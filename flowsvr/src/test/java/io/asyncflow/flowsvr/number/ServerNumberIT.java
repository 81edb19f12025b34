package io.asyncflow.flowsvr.number;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.OwnSchema;
import io.asyncflow.flowsvr.system.Node;
import io.asyncflow.flowsvr.system.db.RetryingTransactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Servers that lease their numbers from one table, which no other test uses. */
@Tag("contract")
class ServerNumberIT {

  private final OwnSchema schema = new OwnSchema();
  private final JdbcClient jdbc = schema.jdbc();
  private final ServerNumberStore store =
      new ServerNumberStore(
          jdbc, new RetryingTransactions(new JdbcTransactionManager(schema.connections())));
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
      number = new ServerNumber(store, node, load);
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
    AtomicBoolean often = new AtomicBoolean();
    Server server =
        new Server(
                new ServerLoad() {
                  @Override
                  public int weight() {
                    return 300;
                  }

                  @Override
                  public int busy() {
                    return often.get() ? 12 : 0;
                  }

                  @Override
                  public boolean beatsOften() {
                    return often.get();
                  }
                })
            .start();
    int number = server.serverNumber();
    long limit = idTimeLimitOf(number);
    leaseOf(number, "lease_end = lease_end - 20000");
    assertThat(live.list()).hasSize(1);
    assertThat(live.thatBeatWithin(Duration.ofSeconds(9))).isEmpty();

    server.number.runOnce();
    assertThat(live.thatBeatWithin(Duration.ofSeconds(9))).as("it beats rarely").isEmpty();
    often.set(true);
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
    Server slept =
        new Server(
                new ServerLoad() {
                  @Override
                  public boolean beatsOften() {
                    return true;
                  }
                })
            .start();
    int number = slept.serverNumber();
    leaseOf(number, "lease_end = 1");
    assertThat(aServer().serverNumber()).isEqualTo(number);

    slept.number.runOnce();

    assertThat(slept.serverNumber()).isNotEqualTo(number);
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
