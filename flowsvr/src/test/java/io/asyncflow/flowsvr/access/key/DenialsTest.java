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

  private static Denials next(Denials before, long now, Denial... rows) {
    return before.next(List.of(rows), SEALS, now);
  }

  @Test
  void rowOfAnEarlierDenialThatIsPutBackDoesNotCount() {
    Denials friday = next(Denials.NONE, 5_000, until(9_000));

    Denials putBack = next(friday, 5_010, until(1_000));
    assertThat(putBack.has(ANN, 5_010)).isTrue();
    assertThat(putBack.forged()).containsExactly(ANN);

    Denials again = next(putBack, 5_020, until(1_000));
    assertThat(again.has(ANN, 8_999)).isTrue();
    assertThat(again.has(ANN, 9_000)).isFalse();
  }

  @Test
  void denialIsShortenedAndEndedByAServer() {
    Denials denied = next(Denials.NONE, 5_000, until(9_000));
    Denials shorter = next(denied, 5_010, until(6_000));
    assertThat(shorter.has(ANN, 6_000)).isFalse();
    Denials ended = next(shorter, 5_020, until(5_015));
    assertThat(ended.has(ANN, 5_020)).isFalse();
    assertThat(ended.forged()).isEmpty();
  }

  @Test
  void changedRowDeniesUntilAServerWritesItAnew() {
    Denial changed = new Denial(ANN, 1, until(9_000).seal());
    Denials forged = next(next(Denials.NONE, 5_000, until(9_000)), 5_010, changed);
    assertThat(forged.has(ANN, Long.MAX_VALUE - 1)).isTrue();
    assertThat(next(forged, 5_020, until(5_015)).has(ANN, 5_020)).isFalse();
  }
}
