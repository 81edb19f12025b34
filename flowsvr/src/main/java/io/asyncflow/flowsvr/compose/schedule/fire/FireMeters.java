package io.asyncflow.flowsvr.compose.schedule.fire;

import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.GapReason;
import io.asyncflow.flowsvr.base.system.TaskMeters;
import io.asyncflow.flowsvr.base.system.TypeSeries;
import io.asyncflow.rules.TaskType;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** Metrics of fires, by the type of what they create. Thread-safe. */
@Component
class FireMeters {

  private static final String PREFIX = "asyncflow.schedule.";

  private final MeterRegistry registry;
  private final TypeSeries types = new TypeSeries();
  private final Set<String> begun = ConcurrentHashMap.newKeySet();
  private final Timer lateness;
  private final Counter races;

  FireMeters(MeterRegistry registry) {
    this.registry = registry;
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

  /** The counters of a type begin together, so that a first refusal after a fire is a rise. */
  private String seriesOf(Optional<TaskType> type) {
    String series = type.map(TaskType::name).map(types::of).orElse(TypeSeries.OTHERS);
    if (begun.add(series)) {
      EnumSet.complementOf(EnumSet.of(FireOutcome.WITHDRAWN))
          .forEach(outcome -> fires(series, outcome));
      EnumSet.allOf(GapReason.class).forEach(reason -> passed(series, reason));
    }
    return series;
  }

  private Counter fires(String series, FireOutcome outcome) {
    return Counter.builder(PREFIX + "fires")
        .description("fires of schedules, by what they made")
        .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
        .tag("type", series)
        .register(registry);
  }

  private Counter passed(String series, GapReason reason) {
    return Counter.builder(PREFIX + "passed")
        .description("fire times that created nothing")
        .tag("reason", reason.name().toLowerCase(Locale.ROOT))
        .tag("type", series)
        .register(registry);
  }

  /**
   * @param type none of a schedule whose row was broken by hand
   */
  void fired(Optional<TaskType> type, FireOutcome outcome, int number) {
    fires(seriesOf(type), outcome).increment(number);
  }

  /**
   * @param ms from the fire time to the commit; negative if it was made ahead
   */
  void late(long ms) {
    lateness.record(Duration.ofMillis(Math.max(0, ms)));
  }

  void passed(Optional<TaskType> type, GapReason reason, int number) {
    passed(seriesOf(type), reason).increment(number);
  }

  void lost(int plans) {
    races.increment(plans);
  }
}
