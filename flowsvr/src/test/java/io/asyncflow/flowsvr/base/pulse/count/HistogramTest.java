package io.asyncflow.flowsvr.base.pulse.count;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class HistogramTest {

  private final Random random = new Random(1);

  @Test
  void percentilesAreNearTheExactOnes() {
    assertNear(() -> (long) Math.exp(random.nextGaussian() * 2 + 5));
    assertNear(() -> 1_000L + random.nextInt(50));
    assertNear(() -> random.nextInt(10) == 0 ? 3_600_000L + random.nextInt(1_000) : 5L);
    assertNear(() -> (long) random.nextInt(4));
  }

  private void assertNear(Supplier<Long> duration) {
    long[] all = new long[10_000];
    Histogram histogram = new Histogram();
    for (int i = 0; i < all.length; i++) {
      all[i] = duration.get();
      histogram.add(Histogram.bucketOf(all[i]), 1);
    }
    Arrays.sort(all);
    for (double share : new double[] {0.5, 0.95, 0.99}) {
      long exact = all[(int) Math.ceil(share * all.length) - 1];
      assertThat(histogram.percentile(share).orElseThrow())
          .as("%s of %s", share, exact)
          .satisfiesAnyOf(
              found -> assertThat(found).isCloseTo(exact, withPercentage(13)),
              found -> assertThat(Math.abs(found - exact)).isLessThanOrEqualTo(1));
    }
  }

  @Test
  void bucketsFollowEachOther() {
    int last = 0;
    for (long ms = 0; ms < 100_000; ms++) {
      int bucket = Histogram.bucketOf(ms);
      assertThat(bucket).as("%d ms", ms).isBetween(last, last + 1);
      last = bucket;
    }
    assertThat(Histogram.bucketOf(TimeUnit.DAYS.toMillis(30))).isLessThan(Histogram.BUCKETS - 1);
    assertThat(Histogram.bucketOf(Long.MAX_VALUE)).isEqualTo(Histogram.BUCKETS - 1);
    assertThat(Histogram.bucketOf(-1)).isZero();
  }

  @Test
  void withoutDurationsThereIsNoPercentile() {
    assertThat(new Histogram().percentile(0.5)).isEmpty();
    assertThat(new Histogram().toBytes()).isEmpty();
  }

  @Test
  void bytesKeepEveryCountAndFitTheirColumn() {
    Histogram full = new Histogram();
    for (int i = 0; i < Histogram.BUCKETS; i++) {
      full.add(i, Integer.MAX_VALUE - i);
    }
    byte[] bytes = full.toBytes();
    assertThat(bytes.length).isLessThanOrEqualTo(768);

    Histogram read = new Histogram();
    read.addBytes(bytes);
    assertThat(read.toBytes()).isEqualTo(bytes);
    assertThat(read.size()).isEqualTo(full.size());
  }

  @Test
  void oneDurationIsTwoBytes() {
    Histogram one = new Histogram();
    one.add(Histogram.bucketOf(1_234), 1);
    assertThat(one.toBytes()).hasSize(2);
  }

  @Test
  void bytesOfStrangersHurtNothing() {
    for (int i = 0; i < 10_000; i++) {
      byte[] bytes = new byte[random.nextInt(20)];
      random.nextBytes(bytes);
      Histogram histogram = new Histogram();
      histogram.addBytes(bytes);
      assertThat(histogram.size()).isNotNegative();
    }
  }

  @Test
  void sumsHaveWhatTheirPartsHad() {
    Histogram one = new Histogram();
    one.add(3, 5);
    Histogram other = new Histogram();
    other.add(3, 2);
    other.add(90, 1);
    one.addAll(other);
    assertThat(one.size()).isEqualTo(8);
    assertThat(one.percentile(1).orElseThrow()).isGreaterThan(1_000_000);
  }
}
