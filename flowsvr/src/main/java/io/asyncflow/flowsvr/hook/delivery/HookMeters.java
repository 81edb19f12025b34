package io.asyncflow.flowsvr.hook.delivery;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.springframework.stereotype.Component;

/** Metrics of hooks. Thread-safe. */
@Component
class HookMeters {

  private static final String PREFIX = "asyncflow.hooks.";

  private final Map<Verdict.Kind, Counter> deliveries = new EnumMap<>(Verdict.Kind.class);
  private final Counter disabled;

  HookMeters(MeterRegistry registry) {
    for (Verdict.Kind kind : Verdict.Kind.values()) {
      deliveries.put(
          kind,
          Counter.builder(PREFIX + "deliveries")
              .description("attempts to deliver an event to a hook")
              .tag("outcome", kind.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
    this.disabled =
        Counter.builder(PREFIX + "disabled")
            .description("hooks that were disabled because their endpoints failed")
            .register(registry);
  }

  void attempted(Verdict.Kind kind) {
    deliveries.get(kind).increment();
  }

  void disabled() {
    disabled.increment();
  }
}
