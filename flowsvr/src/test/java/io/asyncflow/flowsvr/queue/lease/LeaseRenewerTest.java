package io.asyncflow.flowsvr.queue.lease;

import static io.asyncflow.rules.TaskRows.aRow;
import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import io.asyncflow.api.HeartbeatAnswer.State;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskRows;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a holder is told about its lease. */
class LeaseRenewerTest {

  private final TaskRows held = aRow().withEpoch(3).heldBy("w");

  @Test
  void holderIsToldHowLongItsLeaseLasts() {
    assertThat(stateOf(held.build()))
        .isEqualTo(new LeaseState(TaskRows.id().toString(), 3, State.EXTENDED, 20_000));
  }

  @Test
  void holderOfACancelledTaskIsToldSo() {
    assertThat(stateOf(held.inStatus(TaskStatus.CANCELLED).build()).state())
        .isEqualTo(State.CANCEL);
  }

  @Test
  void leaseThatRanOutIsLost() {
    assertThat(stateOf(held.heldForMs(30_000).build()))
        .isEqualTo(new LeaseState(TaskRows.id().toString(), 3, State.LOST, 0));
  }

  @ParameterizedTest
  @EnumSource(
      value = TaskStatus.class,
      names = {"WAITING", "SUCCESS", "FAILED"})
  void taskThatIsNotExecutingIsLost(TaskStatus status) {
    assertThat(stateOf(held.inStatus(status).build()).state()).isEqualTo(State.LOST);
  }

  @Test
  void taskOfAnotherHoldIsLostEvenIfItWasCancelledSince() {
    assertThat(stateOf(held.withEpoch(4).build()).state()).isEqualTo(State.LOST);
    assertThat(stateOf(held.withEpoch(4).inStatus(TaskStatus.CANCELLED).build()).state())
        .isEqualTo(State.LOST);
    assertThat(stateOf(aRow().withEpoch(3).heldBy("x").build()).state()).isEqualTo(State.LOST);
  }

  @Test
  void unknownTaskIsLost() {
    HeldTask task = new HeldTask(TaskRows.id().toString(), 3, null);
    assertThat(LeaseRenewer.stateOf(task, Optional.empty(), "w").state()).isEqualTo(State.LOST);
  }

  private static LeaseState stateOf(TaskRow row) {
    HeldTask task = new HeldTask(TaskRows.id().toString(), 3, null);
    return LeaseRenewer.stateOf(
        task,
        Optional.of(
            new HeldRow(
                row.id().number(),
                row.status(),
                row.workerId(),
                row.leaseEpoch(),
                row.leaseEnd(),
                row.now())),
        "w");
  }
}
