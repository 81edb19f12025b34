package io.asyncflow.flowsvr.operate.bulk.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PaceTest {

  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Pace pace = new Pace(1_000, 0);
  private long now;

  /** Waits as it is told, and then has a page. */
  private void page(int tasks, long readMs, long pageMs) {
    now = Math.max(now, now + pace.waitAt(now)) + (readMs + pageMs) * MS;
    pace.page(tasks, readMs * MS, pageMs * MS, now);
  }

  @Test
  void aThousandTasksTakeASecond() {
    for (int i = 0; i < 100; i++) {
      page(100, 1, 30);
    }

    assertThat(now + pace.waitAt(now)).isBetween(9_900 * MS, 10_100 * MS);
  }

  @Test
  void slowReadsAndPagesSlowItDownAndQuickOnesMakeItFasterAgain() {
    page(100, 60, 30);
    page(100, 1, 600);
    assertThat(pace.perSecond()).isEqualTo(250);

    for (int i = 0; i < 20; i++) {
      page(100, 1, 30);
    }
    assertThat(pace.perSecond()).isEqualTo(1_000);
  }

  @Test
  void neverStops() {
    for (int i = 0; i < 100; i++) {
      page(10, 1_000, 1_000);
    }

    assertThat(pace.perSecond()).isEqualTo(1_000 / 32.0);
  }

  @Test
  void makesUpForOneSecondAtMost() {
    page(100, 1, 30);
    now += 60_000 * MS;

    pace.page(100, MS, MS, now);

    assertThat(pace.waitAt(now)).isEqualTo(-900 * MS);
  }
}
