package io.asyncflow.flowsvr.queue.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.queue.claim.FairShare.Claimant;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tasks are written as stage and number here, the one that is due first at the beginning. */
class FairShareTest {

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

  @Test
  void whatItPrefersComesFirstAndTheOthersWhenTheyHaveBeenDueForLong() {
    assertThat(deal(List.of("b9", "b8", "a7", "a6"), ALL, preferring("a", 8, 3)))
        .containsExactly(List.of("a7", "a6", "b9"));
    assertThat(deal(List.of("b9", "b8", "a1"), ALL, preferring("a", 8, 9)))
        .containsExactly(List.of("a1", "b9", "b8"));
    assertThat(deal(List.of("b7"), ALL, preferring("a", 8, 9))).containsExactly(List.of());
  }

  @Test
  void whoTakesItAtOnceComesBeforeWhoPrefersAnotherAlthoughItIsLaterInLine() {
    assertThat(
            deal(
                List.of("b9", "b8", "b7"),
                ALL,
                preferring("a", 1, 5),
                preferring("b", 1, 1),
                place(1)))
        .containsExactly(List.of("b7"), List.of("b9"), List.of("b8"));
  }

  @Test
  void holdsWithAPreferenceAndWithoutOneTakeTurns() {
    assertThat(deal(List.of("a4", "a3", "a2", "a1"), ALL, place(9), preferring("a", 1, 9)))
        .containsExactly(List.of("a4", "a2"), List.of("a3", "a1"));
  }

  @Test
  void holdMayPreferNothing() {
    assertThat(deal(List.of("b9", "a8", "a7"), ALL, preferring("", 8, 9)))
        .containsExactly(List.of("b9", "a8"));
  }

  @Test
  void whatIsAllowedIsForThePreferredFirst() {
    assertThat(deal(List.of("b9", "b8", "a1"), 2, preferring("a", 1, 9)))
        .containsExactly(List.of("a1", "b9"));
  }

  /** The number is how long the task has been due. */
  private static List<List<String>> deal(List<String> tasks, int most, Claimant... line) {
    return FairShare.deal(
        tasks,
        task ->
            new Head(
                new Source(new TaskTable(new TaskType("lark"), 1), task.substring(0, 1)),
                0,
                -Long.parseLong(task.substring(1)),
                0),
        List.of(line),
        most);
  }

  private static Claimant place(int limit, String... stages) {
    Hold hold = new Hold(new TaskType("lark"), limit, "w", Duration.ZERO, null, Set.of(stages));
    return new Claimant(hold, limit);
  }

  private static Claimant preferring(String stage, long othersAfterMs, int limit) {
    Preference preference = new Preference(Set.of(stage), Duration.ofMillis(othersAfterMs));
    return new Claimant(
        new Hold(
            new TaskType("lark"),
            limit,
            "w",
            Duration.ZERO,
            null,
            Set.of(),
            preference,
            "",
            0,
            null),
        limit);
  }
}
