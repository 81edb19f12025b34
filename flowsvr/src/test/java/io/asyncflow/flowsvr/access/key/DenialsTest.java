package io.asyncflow.flowsvr.access.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.access.key.Denials.Denial;
import io.asyncflow.rules.access.KeySeals;
import java.util.List;
import org.junit.jupiter.api.Test;

class DenialsTest {

  private static final KeySeals SEALS = KeySeals.under("a pepper that is long enough to be one");
  private static final String ANN = "oidc:https://i.example#ann";

  private static Denial until(long end) {
    return new Denial(ANN, end, SEALS.seal(Denials.sealed(ANN, end)));
  }

  private static Denials of(Denial row) {
    return Denials.of(List.of(row), SEALS);
  }

  @Test
  void denialIsShortenedAndEndedByAServer() {
    assertThat(of(until(9_000)).has(ANN, 8_999)).isTrue();
    assertThat(of(until(9_000)).at(9_000)).isEmpty();
    assertThat(of(until(6_000)).has(ANN, 6_000)).isFalse();
    assertThat(of(until(5_015)).has(ANN, 5_020)).isFalse();
    assertThat(of(until(5_015)).changed()).isEmpty();
  }

  @Test
  void changedRowDeniesUntilAServerWritesItAnew() {
    Denials changed = of(new Denial(ANN, 1, until(9_000).seal()));
    assertThat(changed.has(ANN, Long.MAX_VALUE - 1)).isTrue();
    assertThat(changed.changed()).containsExactly(ANN);
    assertThat(of(until(5_015)).has(ANN, 5_020)).isFalse();
  }
}
