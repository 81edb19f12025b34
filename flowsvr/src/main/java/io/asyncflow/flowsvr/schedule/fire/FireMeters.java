package io.asyncflow.flowsvr.schedule.fire;

import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.GapReason;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import org.springframework.stereotype.Component;

/** Metrics of fires. Thread-safe. */
@Component
class FireMeters {

  private static final String PREFIX = "asyncflow.schedule.";

  private final Map<FireOutcome, Counter> fires = new EnumMap<>(FireOutcome.class);
  private final Map<GapReason, Counter> passed = new EnumMap<>(GapReason.class);
  private final Timer lateness;
  private final Counter races;

  FireMeters(MeterRegistry registry) {
    for (FireOutcome outcome : EnumSet.complementOf(EnumSet.of(FireOutcome.WITHDRAWN))) {
      fires.put(
          outcome,
          Counter.builder(PREFIX + "fires")
              .description("fires of schedules, by what they made")
              .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
    for (GapReason reason : GapReason.values()) {
      passed.put(
          reason,
          Counter.builder(PREFIX + "passed")
              .description("fire times that created nothing")
              .tag("reason", reason.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
    this.lateness =
        Timer.builder(PREFIX + "lateness")
            .description("from the fire time to the commit of the fire; 0 if it was made ahead")
            .serviceLevelObjectives(TaskMeters.PROMPTNESS)
            .register(registry);
    this.races =
        Counter.builder(PREFIX + "races")
            .description("plans that another server overtook")
            .register(registry);
  }

  void fired(FireOutcome outcome, int number) {
    fires.get(outcome).increment(number);
  }

  /**
   * @param ms from the fire time to the commit; negative if it was made ahead
   */
  void late(long ms) {
    lateness.record(Duration.ofMillis(Math.max(0, ms)));
  }

  void passed(GapReason reason, int number) {
    passed.get(reason).increment(number);
  }

  void lost(int plans) {
    races.increment(plans);
  }
}
