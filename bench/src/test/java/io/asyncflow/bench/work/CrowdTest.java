package io.asyncflow.bench.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CrowdTest {

  @Test
  void eachUnitIsDoneOnceAndEachClientClosed() throws Exception {
    Set<Integer> done = ConcurrentHashMap.newKeySet();
    AtomicInteger acts = new AtomicInteger();
    AtomicInteger closed = new AtomicInteger();

    Crowd.share(
        100,
        4,
        () ->
            new Crowd.Client() {
              @Override
              public void act(int unit) {
                done.add(unit);
                acts.incrementAndGet();
              }

              @Override
              public void close() {
                closed.incrementAndGet();
              }
            });

    assertThat(done).hasSize(100);
    assertThat(acts).hasValue(100);
    assertThat(closed).hasValue(4);
  }

  @Test
  void aClientThatFailsEndsItForAll() {
    assertThatThrownBy(
            () ->
                Crowd.share(
                    1_000_000,
                    2,
                    () ->
                        unit -> {
                          if (unit == 5) {
                            throw new IllegalStateException("refused");
                          }
                        }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("refused");
  }
}
