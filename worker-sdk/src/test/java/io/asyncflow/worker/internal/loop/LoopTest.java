package io.asyncflow.worker.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LoopTest {

  @Test
  void aBugThatComesAgainAndAgainNeitherEndsTheLoopNorFillsTheLog() throws InterruptedException {
    WakeUp wakeUp = new WakeUp();
    AtomicInteger turns = new AtomicInteger();
    CountDownLatch enough = new CountDownLatch(3);
    Loop loop =
        new Loop(
            "buggy",
            wakeUp,
            true,
            () -> {
              int turn = turns.incrementAndGet();
              enough.countDown();
              wakeUp.signal(); // no wait before the next turn
              if (turn < 3) {
                throw new IllegalStateException("a bug");
              }
              return Loop.END;
            });
    try (LoggedLines log = new LoggedLines(Loop.class)) {
      loop.start();
      assertThat(enough.await(10, TimeUnit.SECONDS)).isTrue();
      assertThat(log.lines())
          .containsExactly("buggy failed unexpectedly; it tries again every 1 s");
    }
    assertThat(turns).hasValue(3);
  }
}
