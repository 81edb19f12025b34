package io.asyncflow.flowsvr.base.system;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Metrics of this server, for {@code /actuator/metrics} and {@code /actuator/prometheus}; what
 * happens to tasks is counted by {@code TaskPulse} alone.
 *
 * <p>Tags are the task's type, as {@link TypeSeries} bounds it, and values of fixed lists, never
 * ids or users. Thread-safe.
 */
@Component
public class TaskMeters {

  private static final String PREFIX = "asyncflow.";
  private static final String TYPE = "type";
  private static final String SECONDS = "seconds";

  /** How late what has a time of its own may be: the buckets of a histogram. */
  public static final Duration[] PROMPTNESS = {
    Duration.ofMillis(10),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5),
    Duration.ofSeconds(30),
    Duration.ofMinutes(1),
    Duration.ofMinutes(10),
    Duration.ofHours(1)
  };

  private final MeterRegistry registry;
  private final TypeSeries types = new TypeSeries();
  private final Map<String, Timer> holdWaits = new ConcurrentHashMap<>();
  private final Map<String, MultiGauge> byType = new ConcurrentHashMap<>();

  public TaskMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * Measures an answered hold call.
   *
   * @param waited the time from the call to its answer
   */
  public void held(String type, Duration waited) {
    Timer timer = holdWaits.get(type);
    (timer == null ? holdWaits.computeIfAbsent(type, this::holdWait) : timer).record(waited);
  }

  private Timer holdWait(String type) {
    return Timer.builder(PREFIX + "hold.wait")
        .description("from a hold to its tasks; holds that got none are not included")
        .tag(TYPE, types.of(type))
        .register(registry);
  }

  /**
   * Measures the start of a task that a schedule created.
   *
   * @param ms from its fire time to its first hold
   */
  public void started(String type, long ms) {
    Timer.builder(PREFIX + "schedule.start")
        .description("from the fire time of a schedule to the first hold of its task")
        .tag(TYPE, types.of(type))
        .serviceLevelObjectives(PROMPTNESS)
        .register(registry)
        .record(Math.max(0, ms), MILLISECONDS);
  }

  /**
   * Counts a report that was not accepted.
   *
   * @param answer to it
   */
  public void refused(String type, String answer) {
    String name = answer.toLowerCase(Locale.ROOT);
    count(
        "reports.refused",
        "reports that were not accepted, by the answer to them",
        type,
        1,
        "answer",
        name);
  }

  /** Counts a hold that an operator ended. */
  public void revoked(String type) {
    count("runs.revoked", "holds that an operator ended", type, 1);
  }

  /** Counts events that were written. */
  public void eventsWritten(String type, long events) {
    count("events.written", "events that were written", type, events);
  }

  private void count(String name, String description, String type, long times, String... tags) {
    Counter.builder(PREFIX + name)
        .description(description)
        .tag(TYPE, types.of(type))
        .tags(tags)
        .register(registry)
        .increment(times);
  }

  /** Records a run of a governance duty. */
  public void governed(String job, boolean failed, Duration took) {
    Timer.builder(PREFIX + "governance.runs")
        .description("runs of the duties that keep tasks, tables and workers in order")
        .tag("duty", job)
        .tag("outcome", failed ? "failed" : "ok")
        .register(registry)
        .record(took);
  }

  /** Registers a gauge. Its value is read at each scrape and must not need the database. */
  public void show(String name, String description, Supplier<Number> value) {
    Gauge.builder(PREFIX + name, value).description(description).register(registry);
  }

  /** The same, one of several gauges that differ by a tag. */
  public void show(
      String name, String description, String tag, String tagValue, Supplier<Number> value) {
    Gauge.builder(PREFIX + name, value)
        .description(description)
        .tag(tag, tagValue)
        .register(registry);
  }

  /** Registers a gauge for each type, and removes those of an earlier call for other types. */
  public void showByType(String name, String description, Map<String, Integer> values) {
    Map<String, Integer> shown = new TreeMap<>();
    values.forEach((type, value) -> shown.merge(types.of(type), value, Integer::sum));
    byType
        .computeIfAbsent(
            name, n -> MultiGauge.builder(PREFIX + n).description(description).register(registry))
        .register(
            shown.entrySet().stream()
                .<MultiGauge.Row<?>>map(
                    type -> MultiGauge.Row.of(Tags.of(TYPE, type.getKey()), type.getValue()))
                .toList(),
            true);
  }

  /** As {@link #show(String, String, Supplier)}, in seconds. */
  public void showSeconds(String name, String description, Supplier<Number> value) {
    Gauge.builder(PREFIX + name, value)
        .description(description)
        .baseUnit(SECONDS)
        .register(registry);
  }
}
