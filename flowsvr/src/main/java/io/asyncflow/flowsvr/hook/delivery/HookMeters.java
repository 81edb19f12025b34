package io.asyncflow.flowsvr.hook.delivery;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import org.springframework.stereotype.Component;

/** Metrics of hooks. Thread-safe. */
@Component
class HookMeters {

  private static final String PREFIX = "asyncflow.hooks.";

  private final MeterRegistry registry;
  private final Counter disabled;

  HookMeters(MeterRegistry registry) {
    this.registry = registry;
    this.disabled =
        Counter.builder(PREFIX + "disabled")
            .description("hooks that were disabled because their endpoints failed")
            .register(registry);
  }

  void attempted(Verdict.Kind kind) {
    registry
        .counter(PREFIX + "deliveries", "outcome", kind.name().toLowerCase(Locale.ROOT))
        .increment();
  }

  void disabled() {
    disabled.increment();
  }
}
