package io.asyncflow.flowsvr.base.system.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RoundRobinTest {

  private final RoundRobin<Integer> turns = new RoundRobin<>(3);

  @Test
  void whatIsNotTooMuchIsTakenWhole() {
    assertThat(turns.next(List.of())).isEmpty();
    assertThat(turns.next(Set.of(2, 1, 3))).containsExactlyInAnyOrder(1, 2, 3);
  }

  @Test
  void roundsGoOnWhereTheLastOneStoppedAndBeginAnewAtTheEnd() {
    List<Integer> all = List.of(5, 4, 3, 2, 1);
    assertThat(turns.next(all)).containsExactly(1, 2, 3);
    assertThat(turns.next(all)).containsExactly(4, 5, 1);
    assertThat(turns.next(all)).containsExactly(2, 3, 4);
  }

  @Test
  void whatGoesOrComesMeanwhileDoesNoHarm() {
    assertThat(turns.next(List.of(10, 20, 30, 40))).containsExactly(10, 20, 30);
    assertThat(turns.next(List.of(10, 20, 35, 40))).containsExactly(35, 40, 10);
  }

  @Test
  void everyoneHasATurnHoweverManyThereAre() {
    List<Integer> all = IntStream.range(0, 10).boxed().toList();
    List<Integer> seen = new ArrayList<>();
    for (int round = 0; round < 4; round++) {
      seen.addAll(turns.next(all));
    }
    assertThat(seen).containsAll(all);
  }
}
