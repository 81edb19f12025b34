package io.asyncflow.worker.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.internal.loop.Loop;
import io.asyncflow.worker.internal.loop.TransitionTable.Transition;
import io.asyncflow.worker.internal.poll.PollerState.Event;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Walks every transition of a poller; the last word of this class is that none was left out. */
class PollerStateTest {

  private static final Set<Transition<PollerState, Event>> VISITED = new LinkedHashSet<>();

  @AfterAll
  static void everyTransitionIsVisited() {
    assertThat(VISITED).containsExactlyInAnyOrderElementsOf(PollerState.TABLE.all());
  }

  private static void remember(HandDrivenPoller it) {
    VISITED.addAll(it.transitions);
    it.close();
  }

  @Test
  void itPollsWhenThereIsSomethingToAskFor() {
    HandDrivenPoller it = HandDrivenPoller.ofOpenStages();
    it.limits = null;
    it.turn();
    assertThat(it.client.holds).isEmpty();
    it.limits = HandDrivenPoller.LIMITS;
    it.turn();
    assertThat(it.client.holds).hasSize(1);
    assertThat(it.poller.state()).isEqualTo(PollerState.PENDING);
    remember(it);
  }

  @Test
  void itGoesOnAfterALostAnswerAndAfterARefusal() {
    HandDrivenPoller it = HandDrivenPoller.ofOpenStages();
    it.client.thenLoseTheAnswer().thenNothing();
    it.client.thenThrow(new FlowException(ErrorCode.NO_SUCH_TASK_TYPE, "gone"));
    for (int i = 0; i < 3; i++) {
      it.turn();
      assertThat(it.poller.state()).isEqualTo(PollerState.PENDING);
    }
    remember(it);
  }

  @Test
  void itIsCutWhenASlotIsFree() {
    HandDrivenPoller it = HandDrivenPoller.with().stage("open", false).stage("gpu", true).build();
    Slot slot = it.takeSlot();
    it.client.thenNothing();
    it.client.then(
        request -> {
          it.slots.free(slot);
          assertThat(Thread.currentThread().isInterrupted()).isTrue();
          throw new FlowUnreachableException("interrupted", null);
        });
    it.turn();
    assertThat(it.poller.state()).isEqualTo(PollerState.PENDING);
    remember(it);
  }

  @Test
  void itStopsWhileItWaits() {
    HandDrivenPoller it = HandDrivenPoller.ofOpenStages();
    it.poller.stop();
    assertThat(it.turn()).isEqualTo(Loop.END);
    assertThat(it.poller.state()).isEqualTo(PollerState.STOPPED);
    remember(it);
  }

  @Test
  void itStopsWhileItPolls() {
    HandDrivenPoller it = HandDrivenPoller.ofOpenStages();
    it.client.then(
        request -> {
          it.poller.stop();
          throw new FlowUnreachableException("interrupted", null);
        });
    assertThat(it.turn()).isEqualTo(Loop.END);
    assertThat(it.poller.state()).isEqualTo(PollerState.STOPPED);
    remember(it);
  }

  @Test
  void whatIsNotInTheTableThrows() {
    for (PollerState state : PollerState.values()) {
      for (Event event : Event.values()) {
        boolean listed =
            PollerState.TABLE.all().stream().anyMatch(t -> t.from() == state && t.on() == event);
        if (!listed) {
          assertThatThrownBy(() -> PollerState.TABLE.take(state, event))
              .isInstanceOf(IllegalStateException.class);
        }
      }
    }
  }
}
