package io.asyncflow.flowsvr.schedule.fire;

import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.GapReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import org.springframework.stereotype.Component;

/** Metrics of fires. Thread-safe. */
@Component
class FireMeters {

  private static final String PREFIX = "asyncflow.schedule.";

  private final MeterRegistry registry;
  private final Timer lateness;
  private final Counter races;

  FireMeters(MeterRegistry registry) {
    this.registry = registry;
    this.lateness =
        Timer.builder(PREFIX + "lateness")
            .description("from the fire time to the commit of the fire; 0 if it was made ahead")
            .register(registry);
    this.races =
        Counter.builder(PREFIX + "races")
            .description("plans that another server overtook")
            .register(registry);
  }

  void fired(FireOutcome outcome, int fires) {
    registry
        .counter(PREFIX + "fires", "outcome", outcome.name().toLowerCase(Locale.ROOT))
        .increment(fires);
  }

  /**
   * @param ms from the fire time to the commit; negative if it was made ahead
   */
  void late(long ms) {
    lateness.record(Duration.ofMillis(Math.max(0, ms)));
  }

  void passed(GapReason reason, int fires) {
    registry
        .counter(PREFIX + "passed", "reason", reason.name().toLowerCase(Locale.ROOT))
        .increment(fires);
  }

  void lost(int plans) {
    races.increment(plans);
  }
}
