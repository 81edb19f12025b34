package io.asyncflow.flowsvr.task.number;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TaskNumbersTest {

  private static final long NOW = 1_800_000_000_000L;

  private long nanos = 5_000_000_000L;
  private final TaskNumbers numbers = new TaskNumbers(() -> nanos);

  @Test
  void numberIsMadeOfTimeServerAndCount() {
    numbers.use(aLease().ofServer(1_023).build());
    long number = numbers.next();
    assertThat(number >> 22).isEqualTo(NOW - TaskNumbers.EPOCH_MS);
    assertThat((number >> 12) & 1_023).isEqualTo(1_023);
    assertThat(number & 4_095).isZero();
    assertThat(numbers.next()).isEqualTo(number + 1);
  }

  @Test
  void numbersRiseAndStayPositiveUntilTheYear2094() {
    numbers.use(aLease().atDatabaseMs(3_900_000_000_000L).build());
    assertThat(numbers.next()).isPositive();
  }

  @Test
  void burstInOneMillisecondGoesOnIntoTheNext() {
    numbers.use(aLease().build());
    Set<Long> made = new HashSet<>();
    long last = 0;
    for (int i = 0; i < 20_000; i++) {
      long number = numbers.next();
      assertThat(number).isGreaterThan(last);
      made.add(number);
      last = number;
    }
    assertThat(made).hasSize(20_000);
    assertThat(numbers.lastMs()).isEqualTo(NOW + 4);
  }

  @Test
  void numbersRiseAlthoughTheClocksJumpBack() {
    numbers.use(aLease().build());
    nanos += Duration.ofSeconds(5).toNanos();
    long before = numbers.next();

    nanos -= Duration.ofSeconds(4).toNanos();
    assertThat(numbers.next()).isGreaterThan(before);

    numbers.use(aLease().atDatabaseMs(NOW - 3_600_000).build());
    assertThat(numbers.next()).isGreaterThan(before);
  }

  @Test
  void numbersFollowTheDatabasesClockCarriedForward() {
    numbers.use(aLease().build());
    nanos += Duration.ofMillis(1_234).toNanos();
    assertThat(numbers.next() >> 22).isEqualTo(NOW + 1_234 - TaskNumbers.EPOCH_MS);
  }

  @Test
  void noNumberIsMadeWithoutALease() {
    assertRefused();
    numbers.use(aLease().build());
    numbers.next();
    numbers.use(null);
    assertRefused();
  }

  @Test
  void noNumberIsMadeUnderALeaseThatMayBeOver() {
    numbers.use(aLease().trustedFor(Duration.ofSeconds(50)).build());
    nanos += Duration.ofSeconds(50).toNanos() - 1;
    numbers.next();
    nanos += 1;
    assertRefused();

    numbers.use(aLease().build()); // renewed: asked just now
    numbers.next();
  }

  @Test
  void noNumberIsMadeBeyondTheTimeLimit() {
    numbers.use(aLease().upTo(NOW + 1).build());
    for (int i = 0; i < 2 * 4_096; i++) {
      assertThat(numbers.next() >> 22).isLessThanOrEqualTo(NOW + 1 - TaskNumbers.EPOCH_MS);
    }
    assertRefused();
    assertRefused();

    nanos += Duration.ofMillis(10).toNanos();
    numbers.use(aLease().upTo(NOW + 60_000).build());
    numbers.next();
  }

  @Test
  void nextOwnerOfANumberStartsBehindThePreviousOne() {
    numbers.use(aLease().startingAt(NOW + 40_000).build());
    assertThat(numbers.next() >> 22).isGreaterThanOrEqualTo(NOW + 40_000 - TaskNumbers.EPOCH_MS);
  }

  @Test
  void otherServerNumberGoesOnWhereTheOldOneEnded() {
    numbers.use(aLease().ofServer(1).build());
    nanos += Duration.ofSeconds(20).toNanos();
    long before = numbers.next();
    numbers.use(null);
    nanos -= Duration.ofSeconds(20).toNanos();
    numbers.use(aLease().ofServer(0).startingAt(NOW).build());
    assertThat(numbers.next()).isGreaterThan(before);
  }

  @Test
  void threadsNeverGetTheSameNumber() {
    numbers.use(aLease().build());
    Set<Long> made = ConcurrentHashMap.newKeySet();
    IntStream.range(0, 50_000).parallel().forEach(i -> made.add(numbers.next()));
    assertThat(made).hasSize(50_000);
  }

  private void assertRefused() {
    assertThatThrownBy(numbers::next)
        .isInstanceOfSatisfying(
            FlowException.class, e -> assertThat(e.errorCode()).isEqualTo(ErrorCode.UNAVAILABLE));
  }

  private ALease aLease() {
    return new ALease();
  }

  /** A lease that was granted at this moment of the monotonic clock. */
  private final class ALease {
    private int server;
    private long first;
    private long limit = Long.MAX_VALUE;
    private long database = NOW;
    private Duration trusted = Duration.ofSeconds(50);

    ALease ofServer(int value) {
      server = value;
      return this;
    }

    ALease startingAt(long ms) {
      first = ms;
      return this;
    }

    ALease upTo(long ms) {
      limit = ms;
      return this;
    }

    ALease atDatabaseMs(long ms) {
      database = ms;
      return this;
    }

    ALease trustedFor(Duration value) {
      trusted = value;
      return this;
    }

    ServerNumberLease build() {
      return new ServerNumberLease(server, first, limit, database, nanos, trusted);
    }
  }
}
