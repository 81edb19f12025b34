package io.asyncflow.flowsvr.task.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.base.system.db.IdStep;
import io.asyncflow.flowsvr.task.event.log.EventStore;
import io.asyncflow.flowsvr.task.event.log.EventStore.Moment;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.springframework.dao.QueryTimeoutException;

class EventTailLagTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final AtomicLong nanos = new AtomicLong();
  private final EventStore store = mock();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private double lag() {
    return registry.get("asyncflow.events.lag").gauge().value();
  }

  private static void awaitARound(EventTail tail) {
    long begun = tail.roundsBegun();
    tail.wake();
    await().atMost(PATIENCE).until(() -> tail.roundsBegun() > begun);
  }

  @Test
  void lagGrowsWhileTheTailCannotRead() {
    when(store.moment()).thenThrow(new QueryTimeoutException("no answer"));
    Node node =
        new Node() {
          @Override
          public long nanoTime() {
            return nanos.get();
          }
        };
    EventTail tail = new EventTail(store, mock(), node, new TaskMeters(registry));
    try {
      tail.add(() -> {});
      awaitARound(tail);
      assertThat(lag()).isZero();

      nanos.set(Duration.ofMinutes(5).toNanos());
      awaitARound(tail);
      assertThat(lag()).isEqualTo(300);

      long noon = Instant.parse("2031-05-01T12:00:00Z").toEpochMilli();
      doReturn(new Moment(noon, IdStep.ONE)).when(store).moment();
      tail.wake();
      await().atMost(PATIENCE).until(() -> lag() == 0);
    } finally {
      tail.destroy();
    }
  }
}
