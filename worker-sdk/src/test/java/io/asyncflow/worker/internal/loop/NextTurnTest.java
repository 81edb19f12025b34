package io.asyncflow.worker.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class NextTurnTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final WakeUp wakeUp = new WakeUp();
  private final NextTurn turn = new NextTurn(wakeUp);

  private void assertWoken() {
    assertTimeoutPreemptively(PATIENCE, () -> wakeUp.await(Loop.UNTIL_WOKEN));
  }

  @Test
  void whatIsDueEarlierSignals() {
    turn.plan(() -> 10);
    turn.add(9);
    assertWoken();
  }

  @Test
  void whateverComesSignalsWhileNothingElseIsDue() {
    turn.plan(() -> 10);
    turn.plan(() -> Long.MAX_VALUE);
    turn.add(20);
    assertWoken();
  }

  @Test
  void whatComesDuringALookThatMissesItSignals() {
    turn.plan(() -> 10);
    turn.plan(
        () -> {
          turn.add(20);
          return Long.MAX_VALUE;
        });
    assertWoken();
  }

  @Test
  void theLoopWaitsForNoOtherMomentThanTheOneThatOthersCompareWith() {
    Deque<Long> looks = new ArrayDeque<>(List.of(10L, Long.MAX_VALUE));
    // The only run ends after the first look; one that comes now is due later than it was.
    assertThat(turn.plan(looks::removeFirst)).isEqualTo(10);
    assertThat(looks).hasSize(1);
  }
}
