package io.asyncflow.flowsvr.base.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.base.leader.LeaderStore.Seen;
import io.asyncflow.flowsvr.base.system.Node;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Two nodes and one row; the running server's own election is kept out by a role of its own. */
@RunningServer
@Tag("contract")
class LeaderElectionIT {

  private static final Duration LEASE = Duration.ofSeconds(10);

  @Autowired JdbcClient jdbc;

  private LeaderStore store;

  @BeforeEach
  void vacantRole() {
    jdbc.sql("DELETE FROM t_leader WHERE role = 'test'").update();
    jdbc.sql("INSERT INTO t_leader (role, leader, term, lease_end) VALUES ('test', '', 0, 0)")
        .update();
    store = new LeaderStore(jdbc, "test");
  }

  private LeaderElection nodeThatVotes() {
    return new LeaderElection(store, new Node());
  }

  private void leaseRunsOut() {
    jdbc.sql("UPDATE t_leader SET lease_end = 1 WHERE role = 'test'").update();
  }

  @Test
  void oneOfTwoNodesLeads() {
    LeaderElection a = nodeThatVotes();
    LeaderElection b = nodeThatVotes();

    a.runOnce();
    b.runOnce();

    assertThat(a.term()).hasValueSatisfying(term -> assertThat(term.number()).isEqualTo(1));
    assertThat(b.term()).isEmpty();
  }

  @Test
  void aLeaderKeepsItsTermByRenewing() {
    LeaderElection a = nodeThatVotes();
    a.runOnce();
    a.runOnce();
    a.runOnce();

    assertThat(a.current().term()).isEqualTo(1);
    assertThat(a.current().leaseMs()).isPositive();
  }

  @Test
  void anotherNodeTakesOverWhenTheLeaseHasRunOutAndTheOldLeaderStepsDown() {
    LeaderElection a = nodeThatVotes();
    LeaderElection b = nodeThatVotes();
    a.runOnce();
    leaseRunsOut();

    b.runOnce();
    a.runOnce();

    assertThat(b.term()).hasValueSatisfying(term -> assertThat(term.number()).isEqualTo(2));
    assertThat(a.term()).isEmpty();
  }

  @Test
  void aLeaderThatDiedBeforeTheClockWasSetBackIsReplacedAtOnce() {
    LeaderElection dead = nodeThatVotes();
    LeaderElection b = nodeThatVotes();
    dead.runOnce();
    jdbc.sql("UPDATE t_leader SET lease_end = lease_end + 600000 WHERE role = 'test'").update();

    assertThat(b.current().leader()).isEmpty();
    b.runOnce();

    assertThat(b.term()).hasValueSatisfying(term -> assertThat(term.number()).isEqualTo(2));
    assertThat(b.current().leaseMs()).isBetween(1L, LEASE.toMillis());
  }

  @Test
  void ofTwoTakeOversOfOneVacancyOneWins() {
    assertThat(store.takeOver("a", 0, LEASE)).isTrue();
    leaseRunsOut();
    assertThat(store.takeOver("b", 1, LEASE)).isTrue();
    assertThat(store.takeOver("c", 1, LEASE)).isFalse();
  }

  @Test
  void aRenewalOfAnOldTermTouchesNoRow() {
    store.takeOver("a", 0, LEASE);
    leaseRunsOut();
    store.takeOver("b", 1, LEASE);

    assertThat(store.renew("a", 1, LEASE)).isFalse();
    assertThat(store.renew("b", 2, LEASE)).isTrue();
  }

  @Test
  void aLeaderWhoseLeaseHasRunOutDoesNotRenewIt() {
    LeaderElection a = nodeThatVotes();
    a.runOnce();
    leaseRunsOut();

    a.runOnce();

    assertThat(a.term())
        .as("a new term, since nobody else was there")
        .hasValueSatisfying(term -> assertThat(term.number()).isEqualTo(2));
  }

  @Test
  void aLeaderThatStopsResigns() {
    LeaderElection a = nodeThatVotes();
    LeaderElection b = nodeThatVotes();
    a.runOnce();

    a.destroy();
    b.runOnce();

    assertThat(b.term()).isPresent();
  }

  @Test
  void workThatOneServerDoesAtATimeIsDoneByTwoOneAfterTheOther() {
    AtomicInteger working = new AtomicInteger();

    List<Integer> atOnce =
        AtOnce.from(
            2,
            i ->
                LeaderElection.alone(
                    store,
                    new Node(),
                    () -> {
                      int together = working.incrementAndGet();
                      jdbc.sql("SELECT SLEEP(0.2)").query(Integer.class).single();
                      working.decrementAndGet();
                      return together;
                    }));

    assertThat(atOnce).containsExactly(1, 1);
    assertThat(store.read()).returns(2L, Seen::term).returns(true, seen -> seen.isVacant(LEASE));
  }

  @Test
  void aTermIsDistrustedBeforeItsLeaseCanEnd() {
    LeaderTerm term = new LeaderTerm(1, 0, LEASE.minus(LeaderElection.MARGIN));

    assertThat(term.isTrustedAt(Duration.ofMillis(7_999).toNanos())).isTrue();
    assertThat(term.isTrustedAt(Duration.ofMillis(8_000).toNanos())).isFalse();
  }
}
