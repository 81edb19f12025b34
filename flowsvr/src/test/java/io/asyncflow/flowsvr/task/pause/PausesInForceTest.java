package io.asyncflow.flowsvr.task.pause;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.rules.TaskType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class PausesInForceTest {

  private static final TaskType LARK = new TaskType("lark");
  private static final Paused TYPE = new Paused(Set.of(LARK), Map.of(), Set.of(), false);

  private final PauseStore store = mock();
  private final PausesInForce pauses =
      new PausesInForce(store, new Node(), new TaskMeters(new SimpleMeterRegistry()));

  @Test
  void callerInATransactionWaitsForNoReaderThatWaitsForAConnection() throws Exception {
    CountDownLatch isReading = new CountDownLatch(1);
    CountDownLatch hasConnection = new CountDownLatch(1);
    when(store.inForce())
        .thenAnswer(
            call -> {
              isReading.countDown();
              hasConnection.await();
              return Paused.NOTHING;
            })
        .thenReturn(TYPE);
    CompletableFuture<Paused> reader =
        CompletableFuture.supplyAsync(pauses::now, work -> new Thread(work).start());
    isReading.await();

    assertThat(pauses.nowInTransaction()).isEqualTo(TYPE);

    hasConnection.countDown();
    assertThat(reader.join()).isEqualTo(Paused.NOTHING);
  }

  @Test
  void callerInATransactionReadsNothingIfItIsRead() {
    when(store.inForce()).thenReturn(TYPE).thenThrow(new IllegalStateException("a second read"));
    pauses.now();
    assertThat(pauses.nowInTransaction()).isEqualTo(TYPE);
  }

  @Test
  void pausesOfOthersConcernNoLine() {
    Paused other =
        new Paused(
            Set.of(new TaskType("other")),
            Map.of(new TaskType("other"), Set.of("s")),
            Set.of("w9"),
            true);
    List<String> line = List.of("w1", "w2");
    assertThat(other.isSameFor(LARK, line, Paused.NOTHING)).isTrue();
    assertThat(TYPE.isSameFor(LARK, line, Paused.NOTHING)).isFalse();
    Paused stage = new Paused(Set.of(), Map.of(LARK, Set.of("s")), Set.of(), false);
    assertThat(stage.isSameFor(LARK, line, Paused.NOTHING)).isFalse();
    Paused worker = new Paused(Set.of(), Map.of(), Set.of("w2"), false);
    assertThat(worker.isSameFor(LARK, line, Paused.NOTHING)).isFalse();
    assertThat(worker.isSameFor(LARK, List.of("w1"), Paused.NOTHING)).isTrue();
  }
}
