package io.asyncflow.flowsvr.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.lease.Dealing.Place;
import io.asyncflow.flowsvr.tasktype.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tasks are written as stage and number here, in due order. */
class DealingTest {

  private static final int ALL = Integer.MAX_VALUE;

  @Test
  void aBurstIsSpreadOverAllWhoWait() {
    assertThat(deal(List.of("a1", "a2", "a3", "a4", "a5"), ALL, place(10), place(10), place(10)))
        .containsExactly(List.of("a1", "a4"), List.of("a2", "a5"), List.of("a3"));
  }

  @Test
  void theFirstInLineGetsTheFirstDue() {
    assertThat(deal(List.of("a1"), ALL, place(1), place(1)))
        .containsExactly(List.of("a1"), List.of());
  }

  @Test
  void whoIsFullIsPassedOver() {
    assertThat(deal(List.of("a1", "a2", "a3", "a4"), ALL, place(1), place(5)))
        .containsExactly(List.of("a1"), List.of("a2", "a3", "a4"));
  }

  @Test
  void nobodyGetsAStageThatItDidNotAskFor() {
    assertThat(
            deal(
                List.of("b1", "a2", "c3", "a4", "b5"),
                ALL,
                place(5, "a"),
                place(5, "a", "b"),
                place(5, "a")))
        .containsExactly(List.of("a4"), List.of("b1", "b5"), List.of("a2"));
  }

  @Test
  void whatIsMoreThanAllowedIsLeft() {
    assertThat(deal(List.of("a1", "a2", "a3"), 2, place(5), place(5)))
        .containsExactly(List.of("a1"), List.of("a2"));
    assertThat(deal(List.of("a1"), 0, place(5))).containsExactly(List.of());
  }

  @Test
  void whatNobodyHasRoomForIsLeft() {
    assertThat(deal(List.of("a1", "a2", "a3"), ALL, place(1), place(0)))
        .containsExactly(List.of("a1"), List.of());
    assertThat(deal(List.of("a1"), ALL)).isEmpty();
  }

  private static List<List<String>> deal(List<String> tasks, int most, Place... line) {
    return Dealing.deal(tasks, task -> task.substring(0, 1), List.of(line), most);
  }

  private static Place place(int limit, String... stages) {
    Hold hold = new Hold(new TaskType("lark"), limit, "w", Duration.ZERO, null, Set.of(stages));
    return new Place(hold, limit);
  }
}
