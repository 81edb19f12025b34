package io.asyncflow.flowsvr.system;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Metrics of the tasks on this server, for {@code /actuator/metrics} and {@code
 * /actuator/prometheus}.
 *
 * <p>Tags are the task's type and values of fixed lists, never ids, users or stages. Types beyond
 * the first {@value #MOST_TYPES} are not counted. Thread-safe.
 */
@Component
public class TaskMeters {

  private static final String PREFIX = "asyncflow.";
  private static final String TYPE = "type";
  private static final int MOST_TYPES = 200;

  private final MeterRegistry registry;
  private final Map<String, MultiGauge> byType = new ConcurrentHashMap<>();

  public TaskMeters(MeterRegistry registry) {
    this.registry = registry;
    registry
        .config()
        .meterFilter(
            MeterFilter.maximumAllowableTags(PREFIX, TYPE, MOST_TYPES, MeterFilter.deny()));
  }

  /**
   * Counts created tasks of a configured type. The metric's name does not end in {@code _created}:
   * Prometheus reserves this ending and would export the metric as {@code asyncflow_tasks_total}.
   */
  public void created(String type, int tasks) {
    registry.counter(PREFIX + "tasks.submitted", TYPE, type).increment(tasks);
  }

  /**
   * Counts the tasks of an answered hold call.
   *
   * @param waited the time from the call to its answer
   */
  public void held(String type, int tasks, Duration waited) {
    registry.counter(PREFIX + "tasks.held", TYPE, type).increment(tasks);
    registry.timer(PREFIX + "hold.wait", TYPE, type).record(waited);
  }

  /**
   * Measures the start of a task that a schedule created.
   *
   * @param ms from its fire time to its first hold
   */
  public void started(String type, long ms) {
    registry
        .timer(PREFIX + "schedule.start", TYPE, type)
        .record(Duration.ofMillis(Math.max(0, ms)));
  }

  /**
   * Counts an answered report.
   *
   * @param outcome the content of an accepted report, or the answer to another one
   */
  public void reported(String type, String outcome) {
    registry.counter(PREFIX + "tasks.reported", TYPE, type, "outcome", outcome).increment();
  }

  /** Counts tasks set to failed by a report, an update, an operator or a sweep. */
  public void failed(String type, long tasks) {
    registry.counter(PREFIX + "tasks.failed", TYPE, type).increment(tasks);
  }

  /** Counts a hold that an operator ended. */
  public void revoked(String type) {
    registry.counter(PREFIX + "runs.revoked", TYPE, type).increment();
  }

  /** Counts an expired lease. */
  public void leaseExpired(String type, String verdict) {
    registry.counter(PREFIX + "leases.expired", TYPE, type, "verdict", verdict).increment();
  }

  /** Counts events that were written. */
  public void eventsWritten(String type, long events) {
    registry.counter(PREFIX + "events.written", TYPE, type).increment(events);
  }

  /** Records a run of a governance duty. */
  public void governed(String job, boolean failed, Duration took) {
    registry
        .timer(PREFIX + "governance.runs", "job", job, "outcome", failed ? "failed" : "ok")
        .record(took);
  }

  /** As {@link #show(String, String, Supplier)}, one of several gauges that differ by a tag. */
  public void show(
      String name, String description, String tag, String tagValue, Supplier<Number> value) {
    Gauge.builder(PREFIX + name, value)
        .description(description)
        .tag(tag, tagValue)
        .register(registry);
  }

  /** Registers a gauge for each type, and removes those of an earlier call for other types. */
  public void showByType(String name, String description, Map<String, Integer> values) {
    byType
        .computeIfAbsent(
            name, n -> MultiGauge.builder(PREFIX + n).description(description).register(registry))
        .register(
            values.entrySet().stream()
                .<MultiGauge.Row<?>>map(
                    type -> MultiGauge.Row.of(Tags.of(TYPE, type.getKey()), type.getValue()))
                .toList(),
            true);
  }

  /** Registers a gauge. Its value is read at each scrape and must not need the database. */
  public void show(String name, String description, Supplier<Number> value) {
    Gauge.builder(PREFIX + name, value).description(description).register(registry);
  }
}
