package io.asyncflow.flowsvr.system;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import java.time.Duration;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Counts what happens to tasks on this server, for {@code /actuator/metrics} and {@code
 * /actuator/prometheus}.
 *
 * <p>Series are told apart by the task's type and by words of a fixed list, never by ids, users or
 * stages; past {@value #MOST_TYPES} types the rest is not counted. Thread-safe.
 */
@Component
public class TaskMeters {

  private static final String PREFIX = "asyncflow.";
  private static final String TYPE = "type";
  private static final int MOST_TYPES = 200;

  private final MeterRegistry registry;

  public TaskMeters(MeterRegistry registry) {
    this.registry = registry;
    registry
        .config()
        .meterFilter(
            MeterFilter.maximumAllowableTags(PREFIX, TYPE, MOST_TYPES, MeterFilter.deny()));
  }

  /**
   * Tasks of a configured type were created. Not called so: Prometheus keeps the ending {@code
   * _created} for itself, and would count them under {@code asyncflow_tasks_total}.
   */
  public void created(String type, int tasks) {
    registry.counter(PREFIX + "tasks.submitted", TYPE, type).increment(tasks);
  }

  /**
   * A hold was given tasks.
   *
   * @param waited from the call to its answer
   */
  public void held(String type, int tasks, Duration waited) {
    registry.counter(PREFIX + "tasks.held", TYPE, type).increment(tasks);
    registry.timer(PREFIX + "hold.wait", TYPE, type).record(waited);
  }

  /**
   * A report was answered.
   *
   * @param outcome what an accepted one said, or what was answered to another one
   */
  public void reported(String type, String outcome) {
    registry.counter(PREFIX + "tasks.reported", TYPE, type, "outcome", outcome).increment();
  }

  /** Tasks were set to failed, by a report, an update, an operator or a sweep. */
  public void failed(String type, long tasks) {
    registry.counter(PREFIX + "tasks.failed", TYPE, type).increment(tasks);
  }

  /** A lease ran out. */
  public void leaseExpired(String type, String verdict) {
    registry.counter(PREFIX + "leases.expired", TYPE, type, "verdict", verdict).increment();
  }

  /** A governance job ran. */
  public void governed(String job, boolean failed, Duration took) {
    registry
        .timer(PREFIX + "governance.runs", "job", job, "outcome", failed ? "failed" : "ok")
        .record(took);
  }

  /** Shows a value that is asked for when somebody looks; one that needs no database. */
  public void show(String name, String description, Supplier<Number> value) {
    Gauge.builder(PREFIX + name, value).description(description).register(registry);
  }
}
