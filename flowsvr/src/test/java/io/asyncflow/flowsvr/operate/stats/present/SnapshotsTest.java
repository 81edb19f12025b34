package io.asyncflow.flowsvr.operate.stats.present;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.base.system.Node;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** When a value is read, and what is shown meanwhile. */
class SnapshotsTest {

  private volatile long nanos = 1;
  private final AtomicInteger reads = new AtomicInteger();
  private boolean isDown;
  private Duration cost = Duration.ZERO;

  private final Node node =
      new Node() {
        @Override
        public long nanoTime() {
          return nanos;
        }
      };

  private final Snapshots<Integer> snapshots = new Snapshots<>(this::read, 50, node);

  private int read() {
    int number = reads.incrementAndGet();
    pass(cost);
    if (isDown) {
      throw new IllegalStateException("read " + number);
    }
    return number;
  }

  private synchronized void pass(Duration time) {
    nanos += time.toNanos();
  }

  @Test
  void allShareOneValueWhichIsReadAnewAfterTwoSeconds() {
    assertThat(snapshots.current()).isEqualTo(1);
    pass(Duration.ofSeconds(2));
    assertThat(snapshots.current()).isEqualTo(1);
    pass(Duration.ofMillis(1));
    assertThat(snapshots.current()).isEqualTo(2);
    assertThat(snapshots.current()).isEqualTo(2);
    assertThat(reads).hasValue(2);
  }

  @Test
  void valueForAMetricIsAsOldAsItMayBeAndNoFailureIsHidden() {
    Duration age = Duration.ofSeconds(14);
    assertThat(snapshots.within(age)).isEqualTo(1);
    pass(age);
    assertThat(snapshots.within(age)).isEqualTo(1);
    pass(Duration.ofMillis(1));
    assertThat(snapshots.within(age)).as("is read at once").isEqualTo(2);

    isDown = true;
    pass(Duration.ofSeconds(15));
    assertThatThrownBy(() -> snapshots.within(age)).hasMessage("read 3");
    assertThatThrownBy(() -> snapshots.within(age)).as("it rests").hasMessage("read 3");
    assertThat(snapshots.current()).as("people see the last one").isEqualTo(2);

    isDown = false;
    pass(Duration.ofSeconds(15));
    assertThat(snapshots.within(age)).isEqualTo(4);
    cost = Duration.ofSeconds(1);
    pass(Duration.ofSeconds(15));
    assertThat(snapshots.within(age)).isEqualTo(5);
    pass(Duration.ofSeconds(48));
    assertThat(snapshots.within(age)).as("an expensive one rests for longer").isEqualTo(5);
  }

  @Test
  void expensiveValueTakesAFiftiethOfTheTime() {
    cost = Duration.ofSeconds(1);
    assertThat(snapshots.current()).isEqualTo(1);
    pass(Duration.ofSeconds(49));
    snapshots.current();
    assertThat(reads).hasValue(1);
    pass(Duration.ofSeconds(1));
    snapshots.current();
    assertThat(reads).hasValue(2);
  }

  @Test
  void valueThatNobodyHasLookedAtForLongIsReadFirst() {
    assertThat(snapshots.current()).isEqualTo(1);
    pass(Duration.ofMinutes(1));
    assertThat(snapshots.current()).isEqualTo(2);
  }

  @Test
  void failureIsKeptForARest() {
    isDown = true;
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(snapshots::current).hasMessage("read 1");
    }
    pass(Duration.ofSeconds(2).plusMillis(1));
    assertThatThrownBy(snapshots::current).hasMessage("read 2");
    assertThat(reads).hasValue(2);
  }

  @Test
  void lastValueIsShownWhileNoNewOneCanBeRead() {
    assertThat(snapshots.current()).isEqualTo(1);
    isDown = true;
    for (int i = 0; i < 10; i++) {
      pass(Duration.ofMinutes(1));
      assertThat(snapshots.current()).isEqualTo(1);
      assertThat(snapshots.current()).isEqualTo(1);
    }
    assertThat(reads).hasValue(11);
    isDown = false;
    pass(Duration.ofMinutes(1));
    assertThat(snapshots.current()).isEqualTo(12);
  }

  @Test
  void manyWhoWaitForTheFirstValueShareOneReadAndItsFailure() throws Exception {
    CountDownLatch isReading = new CountDownLatch(1);
    CountDownLatch mayFail = new CountDownLatch(1);
    AtomicInteger failing = new AtomicInteger();
    Snapshots<Integer> slow =
        new Snapshots<>(
            () -> {
              failing.incrementAndGet();
              isReading.countDown();
              await(mayFail);
              throw new IllegalStateException("no answer");
            },
            50,
            node);
    Thread first = new Thread(() -> assertThatThrownBy(slow::current));
    first.start();
    isReading.await();
    List<Throwable> failures =
        AtOnce.from(
            5,
            thread -> {
              if (thread == 4) {
                mayFail.countDown();
              }
              return catchThrowable(slow::current);
            });
    first.join();

    assertThat(failures).hasSize(5).allMatch(failure -> failure.getMessage().equals("no answer"));
    assertThat(failing).hasValue(1);
  }

  @Test
  void nobodyWaitsForEverForAReadThatHangs() throws Exception {
    CountDownLatch isReading = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    Snapshots<Integer> hanging =
        new Snapshots<>(
            () -> {
              isReading.countDown();
              await(mayEnd);
              return 1;
            },
            50,
            node);
    Thread first = new Thread(hanging::current);
    first.start();
    isReading.await();

    assertThatThrownBy(hanging::current).hasMessageContaining("try again");

    mayEnd.countDown();
    first.join();
    assertThat(hanging.current()).isEqualTo(1);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
