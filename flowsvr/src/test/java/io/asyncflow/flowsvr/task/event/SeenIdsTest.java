package io.asyncflow.flowsvr.task.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.base.system.db.IdStep;
import io.asyncflow.flowsvr.task.event.log.EventStore.Range;
import io.asyncflow.flowsvr.task.event.log.EventStore.Remainder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SeenIdsTest {

  private final SeenIds ids = new SeenIds(100, IdStep.ONE);

  @Test
  void withoutGapsTheLastIdIsStable() {
    see(101, 102, 103);

    assertThat(ids.stable()).isEqualTo(103);
    assertThat(ids.gaps(9)).isEmpty();
  }

  @Test
  void stableStaysBelowTheFirstMissingId() {
    see(101, 104, 107);

    assertThat(ids.stable()).isEqualTo(101);
    assertThat(ids.last()).isEqualTo(107);
    assertThat(ids.gaps(9)).containsExactly(new Range(102, 103), new Range(105, 106));
  }

  @Test
  void theFirstIdOfADayMayBeMissing() {
    see(102);

    assertThat(ids.stable()).isEqualTo(100);
  }

  @Test
  void anIdThatFillsAGapSplitsIt() {
    see(110);

    assertThat(ids.see(105, 0)).isTrue();
    assertThat(ids.gaps(9)).containsExactly(new Range(101, 104), new Range(106, 109));
    see(101, 102, 103, 104);
    assertThat(ids.stable()).isEqualTo(105);
    see(106, 109);
    assertThat(ids.gaps(9)).containsExactly(new Range(107, 108));
  }

  @Test
  void anIdIsNewOnce() {
    see(101, 103);

    assertThat(ids.see(103, 0)).isFalse();
    assertThat(ids.see(101, 0)).isFalse();
    assertThat(ids.see(102, 0)).isTrue();
    assertThat(ids.see(102, 0)).isFalse();
    assertThat(ids.see(99, 0)).isFalse();
  }

  @Test
  void aGapIsClosedByItsAge() {
    ids.see(102, 10);
    ids.see(104, 20);

    ids.closeMissedBefore(10);
    assertThat(ids.stable()).isEqualTo(100);
    ids.closeMissedBefore(11);
    assertThat(ids.stable()).isEqualTo(102);
    ids.closeMissedBefore(21);
    assertThat(ids.stable()).isEqualTo(104);
  }

  @Test
  void partsOfAGapKeepItsAge() {
    ids.see(104, 10);
    ids.see(102, 50);

    ids.closeMissedBefore(11);

    assertThat(ids.stable()).isEqualTo(104);
  }

  @Test
  void anIdThatComesAfterItsGapWasClosedIsNotNew() {
    ids.see(102, 10);
    ids.closeMissedBefore(11);

    assertThat(ids.see(101, 20)).isFalse();
  }

  @Test
  void theMonotonicClockMayOverflow() {
    ids.see(102, Long.MAX_VALUE);

    ids.closeMissedBefore(Long.MIN_VALUE);
    assertThat(ids.stable()).isEqualTo(102);
  }

  @Test
  void inAnyOrderEveryIdIsNewOnceAndStableIsBelowTheFirstMissingOne() {
    for (int seed = 0; seed < 300; seed++) {
      IdStep step = new IdStep(1 + seed % 3, 1);
      List<Long> order = new ArrayList<>();
      for (long id = 1; id <= 60; id += step.increment()) {
        order.add(id);
      }
      Collections.shuffle(order, new Random(seed));
      SeenIds seen = new SeenIds(0, step);
      TreeSet<Long> missing = new TreeSet<>(order);
      for (long id : order) {
        assertThat(seen.see(id, 0)).isTrue();
        seen.settle(step, true, 0, 0);
        missing.remove(id);
        long firstMissing = missing.isEmpty() ? 61 : missing.first();
        assertThat(seen.stable()).isEqualTo(Math.min(firstMissing - 1, seen.last()));
        assertThat(seen.see(id, 0)).isFalse();
      }
      assertThat(seen.gaps(9)).isEmpty();
    }
  }

  @Test
  void whatTheStepSkipsIsNoGap() {
    SeenIds odd = new SeenIds(100, new IdStep(2, 1));
    odd.see(101, 0);
    odd.see(103, 0);
    odd.see(109, 0);

    assertThat(odd.gaps(9)).containsExactly(new Range(105, 107));
    assertThat(odd.see(106, 0)).as("not of the gap").isFalse();
    assertThat(odd.see(105, 0)).isTrue();
    assertThat(odd.gaps(9)).containsExactly(new Range(107, 107));
  }

  @Test
  void stableStaysWhileIdsOfAnotherStepCanAppearAndEachIsNewOnce() {
    IdStep even = new IdStep(2, 2);
    ids.settle(even, false, 0, 0);
    see(102, 104, 108);
    ids.settle(even, false, 1, 0);
    assertThat(ids.stable()).isEqualTo(100);
    assertThat(ids.remainders()).contains(new Remainder(100, 108, even));

    ids.find(List.of(105L), 1);
    assertThat(ids.gaps(9)).containsExactly(new Range(105, 105), new Range(106, 106));
    see(105);
    ids.find(List.of(105L, 107L), 2);
    see(107, 106);
    assertThat(ids.stable()).isEqualTo(100);

    ids.settle(even, true, 3, 0);
    assertThat(ids.stable()).isEqualTo(108);
    assertThat(ids.remainders()).isEmpty();
    assertThat(ids.see(107, 4)).isFalse();
  }

  @Test
  void idsOfAnotherStepAreWaitedForAsLongAsGaps() {
    IdStep even = new IdStep(2, 2);
    ids.settle(even, false, 0, 0);
    see(102);
    ids.settle(even, false, 50, 0);
    see(104);
    ids.settle(even, false, 90, 50);
    assertThat(ids.stable()).isEqualTo(100);

    ids.settle(even, false, 91, 51);

    assertThat(ids.stable()).isEqualTo(102);
  }

  @Test
  void afterAChangeEachIdIsMissedByTheStepOfItsTime() {
    ids.settle(new IdStep(2, 2), false, 0, 0);
    see(102, 106);
    ids.settle(new IdStep(3, 3), false, 0, 0);
    see(111);

    ids.settle(IdStep.ONE, false, 0, 0);
    see(114);

    assertThat(ids.gaps(9))
        .containsExactly(new Range(104, 104), new Range(108, 108), new Range(112, 113));
    assertThat(ids.remainders())
        .containsExactly(
            new Remainder(100, 106, new IdStep(2, 2)), new Remainder(106, 111, new IdStep(3, 3)));
  }

  @Test
  void manyGapsShareRangesTheNearestFirst() {
    LongStream.rangeClosed(101, 201)
        .filter(id -> !List.of(101L, 103L, 120L, 200L).contains(id))
        .forEach(this::see);

    assertThat(ids.gaps(4)).hasSize(4);
    assertThat(ids.gaps(3))
        .containsExactly(new Range(101, 103), new Range(120, 120), new Range(200, 200));
    assertThat(ids.gaps(2)).containsExactly(new Range(101, 120), new Range(200, 200));
    assertThat(ids.gaps(1)).containsExactly(new Range(101, 200));
  }

  private void see(long... read) {
    for (long id : read) {
      assertThat(ids.see(id, 0)).isTrue();
    }
  }
}
