package io.asyncflow.bench.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LoopsTest {

  @Test
  void aStepThatWaitsIsEndedByClose() throws Exception {
    BlockingQueue<String> empty = new LinkedBlockingQueue<>();
    AtomicInteger closed = new AtomicInteger();
    CountDownLatch acting = new CountDownLatch(2);

    try (Loops loops =
        new Loops()
            .start(
                2,
                () ->
                    new Loops.Step() {
                      @Override
                      public void act() throws InterruptedException {
                        acting.countDown();
                        empty.take();
                      }

                      @Override
                      public void close() {
                        closed.incrementAndGet();
                      }
                    })) {
      acting.await();
      loops.check();
    }

    assertThat(closed).hasValue(2);
  }

  @Test
  void whoWaitsForAStepThatFailedLearnsOfIt() throws Exception {
    Loops loops = new Loops();
    CountDownLatch ended = new CountDownLatch(1);
    loops.start(
        1,
        () ->
            new Loops.Step() {
              @Override
              public void act() {
                throw new IllegalStateException("refused");
              }

              @Override
              public void close() {
                ended.countDown();
              }
            });
    assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();

    assertThatThrownBy(loops::close)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("refused");
  }
}
