package io.asyncflow.flowsvr.base.system.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class TimedCacheTest {

  private final AtomicLong clock = new AtomicLong();
  private final AtomicInteger readings = new AtomicInteger();
  private volatile Supplier<String> database = () -> "reading " + readings.incrementAndGet();

  private final TimedCache<String> remembered =
      // each look at the clock takes a moment, as it does in life
      new TimedCache<>("nothing", () -> database.get(), clock::incrementAndGet);

  private void aSecondPasses() {
    clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
  }

  /** A reading that has begun and ends when it is let; it brings what stood there at its begin. */
  private final class SlowReading {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final CompletableFuture<String> reader;

    SlowReading(String brings) throws InterruptedException {
      Supplier<String> fast = database;
      database =
          () -> {
            database = fast;
            begun.countDown();
            try {
              mayEnd.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            return brings;
          };
      reader = CompletableFuture.supplyAsync(remembered::current, work -> new Thread(work).start());
      begun.await();
    }

    String end() {
      mayEnd.countDown();
      return reader.join();
    }
  }

  @Test
  void whoCanDoWithAnOlderValueGetsItUntilSomethingIsChanged() {
    remembered.recent();
    aSecondPasses();
    aSecondPasses();
    assertThat(remembered.within(Duration.ofSeconds(5))).isEqualTo("reading 1");
    remembered.outdated();
    assertThat(remembered.within(Duration.ofSeconds(5))).isEqualTo("reading 2");
    aSecondPasses();
    aSecondPasses();
    assertThat(remembered.within(Duration.ofSeconds(2))).isEqualTo("reading 3");
  }

  @Test
  void oneReadingASecondIsEnough() {
    assertThat(remembered.recent()).isEqualTo("reading 1");
    assertThat(remembered.recent()).isEqualTo("reading 1");
    aSecondPasses();
    assertThat(remembered.recent()).isEqualTo("reading 2");
  }

  @Test
  void knownIsNeverRead() {
    assertThat(remembered.known()).isEmpty();
    remembered.recent();
    aSecondPasses();
    aSecondPasses();
    assertThat(remembered.known()).hasValue("reading 1");
    remembered.outdated();
    assertThat(remembered.known()).isEmpty();
    assertThat(readings.get()).isEqualTo(1);
  }

  @Test
  void currentIsReadAnew() {
    remembered.recent();
    assertThat(remembered.current()).isEqualTo("reading 2");
    assertThat(remembered.current()).isEqualTo("reading 3");
  }

  @Test
  void currentIsReadAnewForEachWhoDoesNotComeTogetherWithOthers() throws Exception {
    remembered.recent();
    assertThat(remembered.current()).isEqualTo("reading 2");
    SlowReading slow = new SlowReading("slow");
    CompletableFuture<String> later =
        CompletableFuture.supplyAsync(remembered::current, work -> new Thread(work).start());
    slow.end();
    assertThat(later.join()).isEqualTo("reading 3");
  }

  @Test
  void freshIsTakenFromTheReadingJustMade() {
    remembered.recent();
    for (int i = 0; i < 1_000; i++) {
      assertThat(remembered.fresh(Duration.ofMillis(25))).isEqualTo("reading 1");
    }
  }

  @Test
  void whatIsRememberedIsReadAnewOnlyWhereItLacksWhatIsLookedFor() {
    remembered.recent();
    assertThat(remembered.recentIf(value -> value.equals("reading 1"))).isEqualTo("reading 1");
    assertThat(remembered.recentIf(value -> value.equals("reading 9"))).isEqualTo("reading 2");
  }

  @Test
  void nobodyWaitsForASlowReadingWhereAnOldValueWillDo() throws Exception {
    remembered.recent();
    aSecondPasses();
    SlowReading slow = new SlowReading("slow");

    assertThat(remembered.recent()).isEqualTo("reading 1");

    assertThat(slow.end()).isEqualTo("slow");
    assertThat(remembered.recent()).isEqualTo("slow");
  }

  @Test
  void readingThatBeganBeforeAChangeIsNotGivenToAnybodyAfterIt() throws Exception {
    SlowReading slow = new SlowReading("before the change");
    remembered.outdated();
    CompletableFuture<String> afterTheChange =
        CompletableFuture.supplyAsync(remembered::recent, work -> new Thread(work).start());

    slow.end();

    assertThat(afterTheChange.join()).isEqualTo("reading 1");
  }

  @Test
  void oneCallerASecondIsToldOfAFailureAndTheOthersGetWhatIsRemembered() {
    remembered.recent();
    aSecondPasses();
    database =
        () -> {
          readings.incrementAndGet();
          throw new IllegalStateException("no database");
        };

    assertThatThrownBy(remembered::recent).hasMessage("no database");
    assertThat(remembered.recent()).isEqualTo("reading 1");
    assertThat(remembered.recent()).isEqualTo("reading 1");
    assertThat(readings).as("not asked again within a second").hasValue(2);
    assertThatThrownBy(remembered::current).hasMessage("no database");
  }
}
