package io.asyncflow.flowsvr.schedule.fire;

import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.GapReason;
import io.asyncflow.flowsvr.system.TaskMeters;
import io.asyncflow.flowsvr.system.TypeSeries;
import io.asyncflow.rules.TaskType;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** Metrics of fires, by the type of what they create. Thread-safe. */
@Component
class FireMeters {

  private static final String PREFIX = "asyncflow.schedule.";

  private final MeterRegistry registry;
  private final TypeSeries types = new TypeSeries();
  private final Map<String, OfType> ofTypes = new ConcurrentHashMap<>();
  private final Timer lateness;
  private final Counter races;

  /** The counters of a type begin together, so that a first refusal after a fire is a rise. */
  private record OfType(Map<FireOutcome, Counter> fires, Map<GapReason, Counter> passed) {}

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

  private OfType of(Optional<TaskType> type) {
    String series = type.map(TaskType::name).map(types::of).orElse(TypeSeries.OTHERS);
    OfType known = ofTypes.get(series);
    return known == null ? ofTypes.computeIfAbsent(series, this::begin) : known;
  }

  private OfType begin(String series) {
    Map<FireOutcome, Counter> fires = new EnumMap<>(FireOutcome.class);
    for (FireOutcome outcome : EnumSet.complementOf(EnumSet.of(FireOutcome.WITHDRAWN))) {
      fires.put(
          outcome,
          Counter.builder(PREFIX + "fires")
              .description("fires of schedules, by what they made")
              .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
              .tag("type", series)
              .register(registry));
    }
    Map<GapReason, Counter> passed = new EnumMap<>(GapReason.class);
    for (GapReason reason : GapReason.values()) {
      passed.put(
          reason,
          Counter.builder(PREFIX + "passed")
              .description("fire times that created nothing")
              .tag("reason", reason.name().toLowerCase(Locale.ROOT))
              .tag("type", series)
              .register(registry));
    }
    return new OfType(fires, passed);
  }

  /**
   * @param type none of a schedule whose row was broken by hand
   */
  void fired(Optional<TaskType> type, FireOutcome outcome, int number) {
    of(type).fires().get(outcome).increment(number);
  }

  /**
   * @param ms from the fire time to the commit; negative if it was made ahead
   */
  void late(long ms) {
    lateness.record(Duration.ofMillis(Math.max(0, ms)));
  }

  void passed(Optional<TaskType> type, GapReason reason, int number) {
    of(type).passed().get(reason).increment(number);
  }

  void lost(int plans) {
    races.increment(plans);
  }
}
