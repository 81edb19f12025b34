package io.asyncflow.systemtest.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.systemtest.scenario.TypePlan;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BacklogTest {

  @Test
  void noMoreAreCreatedThanAreDoneInTime() {
    assertThat(Backlog.LEISURELY.hasRoomFor(1, 15)).isTrue();
    assertThat(Backlog.LEISURELY.hasRoomFor(1, 16)).isFalse();
    assertThat(Backlog.SHORT.hasRoomFor(20, 980)).isTrue();
    assertThat(Backlog.SHORT.hasRoomFor(20, 981)).isFalse();
  }

  @Test
  void eachTypeHasTheBoundOfItsOwnTimes() {
    assertThat(Backlog.SHORT.drainWithin(TypePlan.quick())).isEqualTo(Duration.ofSeconds(36 + 50));
    assertThat(Backlog.LEISURELY.drainWithin(TypePlan.ofDefaults()))
        .isEqualTo(Duration.ofSeconds(63 + 20));
  }
}
