package io.asyncflow.bench.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class FireStartsTest {

  private static final int FIRST = 10;

  private final FireStarts starts = new FireStarts(FIRST, 3);

  @Test
  void secondStartsAreDoubledAndMissingOnesMissed() {
    Instant fireTime = Instant.now();
    starts.accept(FIRST);
    starts.accept(FIRST + 1);
    starts.accept(FIRST + 1);
    starts.accept(FIRST - 1); // of the run before

    FireRun run = starts.run(fireTime, new Histogram(3));

    assertThat(run.starts().getTotalCount()).isEqualTo(2);
    assertThat(run.missed()).isEqualTo(1);
    assertThat(run.doubled()).isEqualTo(1);
    assertThat(run.early()).isZero();
  }

  @Test
  void aStartBeforeTheFireTimeIsEarly() {
    starts.accept(FIRST);

    FireRun run = starts.run(Instant.now().plusSeconds(1), new Histogram(3));

    assertThat(run.early()).isEqualTo(1);
    assertThat(run.starts().getMaxValue()).isZero();
  }
}
