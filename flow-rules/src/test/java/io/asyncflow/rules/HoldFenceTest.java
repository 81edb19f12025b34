package io.asyncflow.rules;

import static io.asyncflow.rules.TaskRows.aRow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.TaskStatus;
import org.junit.jupiter.api.Test;

/** {@link TaskReporterTest} has the rule as a table; this is how others than reports meet it. */
class HoldFenceTest {

  private final TaskRows held = aRow().withEpoch(3).reportedUpTo(2, "r2").heldBy("w");

  @Test
  void lastHolderPasses() {
    assertThatNoException().isThrownBy(() -> HoldFence.require(held.build(), 3, "w"));
  }

  @Test
  void anybodyElseHasLostTheLease() {
    assertThatThrownBy(() -> HoldFence.require(held.build(), 2, "w"))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("a newer hold has the epoch 3");
    assertThatThrownBy(() -> HoldFence.require(held.build(), 3, "x"))
        .isInstanceOf(LeaseLostException.class);
  }

  @Test
  void holdThatWasRevokedIsToldSo() {
    TaskRow revoked = HoldEnd.revoked(held.inStatus(TaskStatus.EXECUTING).build());
    assertThatThrownBy(() -> HoldFence.require(revoked, 3, "w"))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("an operator ended the hold with the epoch 3");
    TaskRow reported = held.reportedUpTo(3, null).build();
    assertThatThrownBy(() -> HoldFence.require(reported, 3, "w"))
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("the epoch 3 has reported already");
  }

  @Test
  void nothingPassesIntoAFinalTask() {
    TaskRow done = held.inStatus(TaskStatus.SUCCESS).build();
    assertThatThrownBy(() -> HoldFence.require(done, 3, "w"))
        .isInstanceOf(TransitionNotAllowedException.class);
  }

  @Test
  void lastHoldMayReportOnce() {
    assertThat(HoldFence.mayReport(held.build(), 3)).isTrue();
    assertThat(HoldFence.mayReport(held.build(), 2)).isFalse();
    assertThat(HoldFence.mayReport(held.build(), 4)).isFalse();
    assertThat(HoldFence.mayReport(held.reportedUpTo(3, "r3").build(), 3)).isFalse();
  }
}
