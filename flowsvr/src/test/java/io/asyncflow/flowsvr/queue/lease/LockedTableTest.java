package io.asyncflow.flowsvr.queue.lease;

import static io.asyncflow.rules.TaskRows.aRow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import io.asyncflow.api.HeartbeatAnswer.State;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.HeartbeatDatabase;
import io.asyncflow.flowsvr.base.system.db.RetryingTransactions;
import io.asyncflow.flowsvr.edge.access.TestCallers;
import io.asyncflow.flowsvr.task.number.WritesWorkAgain;
import io.asyncflow.flowsvr.task.table.TaskFamilies;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskRows;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.transaction.PlatformTransactionManager;

/** A lock wait time-out does not say whether it was for a row or for the table. */
class LockedTableTest {

  private static final RuntimeException LOCKED =
      new CannotAcquireLockException(
          "locked", new SQLException("Lock wait timeout", "40001", 1205));

  private static final class StoppedNode extends Node {
    private long nanos = 7;

    @Override
    public long nanoTime() {
      return nanos;
    }

    void pass(Duration time) {
      nanos += time.toNanos();
    }
  }

  private final StoppedNode node = new StoppedNode();
  private final TaskTypes types = mock();
  private final TaskFamilies families = mock();
  private final RenewalStore store = mock();
  private LeaseRenewer renewer;

  @BeforeEach
  void oneTaskIsHeld() {
    TaskRow row = aRow().withEpoch(3).heldBy("w").build();
    when(types.known(any()))
        .thenReturn(Optional.of(TaskTypeConfig.of(TaskTypeSettings.named("lark"))));
    when(families.existing(any(), any())).thenReturn(Set.of(row.id().table()));
    when(store.find(any(), any()))
        .thenReturn(
            List.of(
                new HeldRow(row.id().number(), row.status(), "w", 3, row.leaseEnd(), row.now())));
    HeartbeatDatabase database = mock();
    when(database.transactions())
        .thenReturn(new RetryingTransactions(mock(PlatformTransactionManager.class)));
    renewer = new LeaseRenewer(types, families, store, database, node);
  }

  private List<LeaseState> beat() {
    HeldTask held = new HeldTask(TaskRows.id().toString(), 3, null);
    return renewer.renew("w", List.of(ParsedBeat.of(held)), TestCallers.ADMIN);
  }

  @Test
  void oneBeatAloneWaitsASecondTime() {
    doThrow(LOCKED).when(store).renew(any(), any(), any(), any());
    when(store.lockFree(any(), any()))
        .then(
            secondWait -> {
              assertThatThrownBy(this::beat).as("of another").isSameAs(LOCKED);
              return Set.of();
            });

    assertThat(beat()).extracting(LeaseState::state).containsExactly(State.EXTENDED);
    verify(store, times(1)).renew(any(), any(), any(), any());
    verify(store, times(1)).lockFree(any(), any());
  }

  @Test
  void beatThatTriesATableAgainWaitsOnceAndTheNextLeavesLockedRowsOut() {
    RuntimeException damaged = new UncategorizedSQLException("renew", null, new SQLException());
    doThrow(damaged).doThrow(LOCKED).when(store).renew(any(), any(), any(), any());

    assertThatThrownBy(this::beat).isSameAs(damaged);
    node.pass(TableTrouble.FIRST_PAUSE);
    assertThatThrownBy(this::beat).isSameAs(LOCKED);
    verify(store, never()).lockFree(any(), any());

    node.pass(TableTrouble.LONGEST_PAUSE.minusSeconds(1));
    assertThat(beat()).extracting(LeaseState::state).containsExactly(State.EXTENDED);
    verify(store, times(2)).renew(any(), any(), any(), any());
  }

  @Test
  void afterAnOutageAllIsTriedAtOnce() {
    RuntimeException readOnly = new UncategorizedSQLException("renew", null, new SQLException());
    doThrow(readOnly).doThrow(LOCKED).doNothing().when(store).renew(any(), any(), any(), any());
    assertThatThrownBy(this::beat).isSameAs(readOnly);
    assertThatThrownBy(this::beat).as("of the pause").isSameAs(readOnly);

    renewer.on(new WritesWorkAgain());
    assertThat(beat()).extracting(LeaseState::state).containsExactly(State.EXTENDED);
    verify(store, times(1)).lockFree(any(), any());

    renewer.on(new WritesWorkAgain());
    assertThat(beat()).extracting(LeaseState::state).containsExactly(State.EXTENDED);
    verify(store, times(1)).lockFree(any(), any());
  }
}
