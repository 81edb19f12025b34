package io.asyncflow.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LaneTest {

  @Test
  void orderAndRepetitionOfTheWorkersDoNotMatter() {
    assertThat(Lane.of(List.of("b", "a", "b"), 0))
        .isEqualTo(Lane.of(List.of("a", "b"), 0))
        .matches("[0-9a-f]{16}");
  }

  @Test
  void otherWorkersAndOtherSaltsHaveOtherLanes() {
    assertThat(
            List.of(
                Lane.OPEN,
                Lane.of(List.of("a", "b"), 0),
                Lane.of(List.of("ab"), 0),
                Lane.of(List.of("a"), 0),
                Lane.of(List.of("a"), 1)))
        .doesNotHaveDuplicates();
  }
}
