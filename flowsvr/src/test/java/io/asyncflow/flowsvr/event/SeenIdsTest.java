package io.asyncflow.flowsvr.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.flowsvr.event.log.EventStore.Range;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SeenIdsTest {

  private final SeenIds ids = new SeenIds(100);

  @Test
  void withoutGapsTheLastIdIsStable() {
    see(101, 102, 103);

    assertThat(ids.stable()).isEqualTo(103);
    assertThat(ids.gaps()).isEmpty();
  }

  @Test
  void stableStaysBelowTheFirstMissingId() {
    see(101, 104, 107);

    assertThat(ids.stable()).isEqualTo(101);
    assertThat(ids.last()).isEqualTo(107);
    assertThat(ids.gaps()).containsExactly(new Range(102, 103), new Range(105, 106));
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
    assertThat(ids.gaps()).containsExactly(new Range(101, 104), new Range(106, 109));
    see(101, 102, 103, 104);
    assertThat(ids.stable()).isEqualTo(105);
    see(106, 109);
    assertThat(ids.gaps()).containsExactly(new Range(107, 108));
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
    for (int seed = 0; seed < 100; seed++) {
      List<Long> order = new ArrayList<>();
      for (long id = 1; id <= 60; id++) {
        order.add(id);
      }
      Collections.shuffle(order, new Random(seed));
      SeenIds seen = new SeenIds(0);
      TreeSet<Long> missing = new TreeSet<>(order);
      for (long id : order) {
        assertThat(seen.see(id, 0)).isTrue();
        missing.remove(id);
        long firstMissing = missing.isEmpty() ? 61 : missing.first();
        assertThat(seen.stable()).isEqualTo(Math.min(firstMissing - 1, seen.last()));
      }
      assertThat(seen.gaps()).isEmpty();
    }
  }

  private void see(long... read) {
    for (long id : read) {
      assertThat(ids.see(id, 0)).isTrue();
    }
  }
}
