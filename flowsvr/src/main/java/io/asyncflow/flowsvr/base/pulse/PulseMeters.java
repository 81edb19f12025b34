package io.asyncflow.flowsvr.base.pulse;

import static java.util.Map.entry;

import io.asyncflow.flowsvr.base.pulse.count.Count;
import io.asyncflow.flowsvr.base.pulse.count.Numbers;
import io.asyncflow.flowsvr.base.pulse.count.Objectives;
import io.asyncflow.flowsvr.base.system.metric.StageSeries;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/**
 * What {@link TaskPulse} counts, as metrics of the types and stages that {@link StageSeries} keeps
 * apart. A series stays until the server stops, also when its stage has been quiet. Thread-safe.
 */
@Component
class PulseMeters {

  private static final Map<Count, Named> COUNTERS =
      Map.ofEntries(
          entry(Count.CREATED, new Named("tasks.submitted", "tasks that were created")),
          entry(Count.HELD, new Named("tasks.held", "holds of tasks by workers")),
          entry(Count.MOVED_ON, new Named("tasks.moved", "tasks whose run led to another stage")),
          entry(
              Count.RETRIED,
              new Named("tasks.retried", "runs that failed by a report, with a retry to come")),
          entry(
              Count.GIVEN_BACK,
              new Named(
                  "tasks.returned",
                  "holds that were given back without a result, by RELEASE or SNOOZE")),
          entry(Count.SUCCEEDED, ended("success")),
          entry(Count.FAILED, ended("failed")),
          entry(Count.CANCELLED, ended("cancelled")),
          entry(Count.LOST, expired("lost")),
          entry(Count.TIMED_OUT, expired("timed_out")),
          entry(Count.POISONED, expired("poison")));

  private final MeterRegistry registry;
  private final StageSeries names = new StageSeries(Numbers.OTHER_STAGES);
  private final Map<Labels, Series> series = new HashMap<>();

  PulseMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * The name and the description of a counter.
   *
   * @param tags tell it apart from others of its name
   */
  private record Named(String name, String description, Tags tags) {
    Named(String name, String description) {
      this(name, description, Tags.empty());
    }
  }

  private static Named ended(String status) {
    return new Named("tasks.ended", "tasks that ended, by their status", Tags.of("status", status));
  }

  private static Named expired(String verdict) {
    return new Named(
        "leases.expired",
        "leases that ended without a report: of lost workers (or ended by an operator), of runs that"
            + " took too long, and the last ones of tasks that were lost too often",
        Tags.of("verdict", verdict));
  }

  /** What is measured of tasks; shown from the first duration on. */
  enum Span {
    WAIT("from when a task was due to its hold"),
    RUN("from a hold to the report of its result, or to its time-out"),
    LIFE("from the creation of a task to its success or failure, by its last stage");

    private final String description;

    Span(String description) {
      this.description = description;
    }
  }

  /** The series of a stage, which it may share. */
  synchronized Series of(String type, String stage) {
    return series.computeIfAbsent(names.of(type, stage), Series::new);
  }

  /** The counters of a stage begin together, so that a first failure after a success is a rise. */
  final class Series {

    private final Tags tags;
    private final Map<Count, Counter> counters = new EnumMap<>(Count.class);
    private final Map<Span, Timer> timers = new ConcurrentHashMap<>();

    private Series(Labels labels) {
      this.tags = Tags.of("type", labels.get("type"), "stage", labels.get("stage"));
      COUNTERS.forEach(
          (count, named) ->
              counters.put(
                  count,
                  Counter.builder("asyncflow." + named.name())
                      .description(named.description())
                      .tags(tags.and(named.tags()))
                      .register(registry)));
    }

    void count(Count count, int times) {
      Counter counter = counters.get(count);
      if (counter != null) {
        counter.increment(times);
      }
    }

    /** Less than 0 counts as 0. */
    void took(Span span, long ms) {
      Timer timer = timers.get(span);
      (timer == null ? timers.computeIfAbsent(span, this::timer) : timer)
          .record(Math.max(0, ms), TimeUnit.MILLISECONDS);
    }

    private Timer timer(Span span) {
      return Timer.builder("asyncflow.tasks." + span.name().toLowerCase(Locale.ROOT))
          .description(span.description)
          .tags(tags)
          .serviceLevelObjectives(Objectives.durations())
          .register(registry);
    }
  }
}
