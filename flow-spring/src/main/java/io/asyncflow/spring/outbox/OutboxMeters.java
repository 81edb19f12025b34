package io.asyncflow.spring.outbox;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;

/** {@code asyncflow.outbox.tasks}: the rows of the table by their state, counted at each look. */
final class OutboxMeters implements MeterBinder {

  private final OutboxTable table;

  OutboxMeters(OutboxTable table) {
    this.table = table;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    bind(registry, "waiting", OutboxTable::waiting);
    bind(registry, "postponed", OutboxTable::postponed);
    bind(registry, "refused", OutboxTable::refused);
  }

  private void bind(MeterRegistry registry, String state, ToDoubleFunction<OutboxTable> count) {
    Gauge.builder("asyncflow.outbox.tasks", table, count)
        .description("Tasks of the outbox that flowsvr does not have, 100,000 at most")
        .tag("state", state)
        .register(registry);
  }
}
