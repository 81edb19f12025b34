package io.asyncflow.worker.autoconfigure;

import io.asyncflow.worker.RunEnd;
import io.asyncflow.worker.Worker;
import io.asyncflow.worker.WorkerView;
import io.asyncflow.worker.WorkerView.TypeView;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;

/** The meters of a worker in one registry. Its types and stages are those of its handlers. */
final class WorkerMeters {

  private static final String PREFIX = "asyncflow.worker.";

  private static final Duration[] OBJECTIVES = {
    Duration.ofMillis(10),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5),
    Duration.ofSeconds(10),
    Duration.ofSeconds(30),
    Duration.ofMinutes(1),
    Duration.ofMinutes(5),
    Duration.ofMinutes(10),
    Duration.ofMinutes(30),
    Duration.ofHours(1),
    Duration.ofHours(6),
    Duration.ofDays(1)
  };

  private final MeterRegistry registry;
  private final WorkerLifecycle lifecycle;
  private final Counter lost;
  private final Map<Ends, Timer> runs = new ConcurrentHashMap<>();

  /** Runs that ended alike. */
  private record Ends(String type, String stage, String outcome) {}

  WorkerMeters(MeterRegistry registry, WorkerLifecycle lifecycle) {
    this.registry = registry;
    this.lifecycle = lifecycle;
    this.lost =
        Counter.builder(PREFIX + "leases.lost")
            .description("holds that this worker dropped because another one may have the task")
            .register(registry);
    FunctionCounter.builder(PREFIX + "local.retries", lifecycle, l -> of(WorkerView::localRetries))
        .description("runs of a handler that the worker repeated in the same hold")
        .register(registry);
    show("slots", "places on devices", WorkerView::slots);
    show("slots.free", "places on devices that are free", WorkerView::freeSlots);
    show(
        "slots.quarantined",
        "places that are not used for a while, because three runs lacked resources there",
        view -> view.quarantined().size());
    show("spool.reports", "reports on disk that no server has answered yet", WorkerView::spooled);
  }

  private double of(ToDoubleFunction<WorkerView> value) {
    return lifecycle.worker().map(worker -> value.applyAsDouble(worker.view())).orElse(0.0);
  }

  private void show(String name, String description, ToDoubleFunction<WorkerView> value) {
    Gauge.builder(PREFIX + name, () -> of(value)).description(description).register(registry);
  }

  /**
   * Shows that there is a worker, and its types; those of an earlier one with the same names go on.
   */
  void show(Worker worker) {
    show(
        "healthy",
        "0 while the worker says that it has to be restarted",
        view -> view.problem() == null ? 1 : 0);
    int threads = worker.settings().threads();
    for (TypeView type : worker.view().types()) {
      String name = type.taskType();
      showRuns(name, "queued", TypeView::queued);
      showRuns(name, "working", TypeView::working);
      showRuns(name, "reporting", TypeView::reporting);
      showRuns(name, "overdue", TypeView::overdue);
      Gauge.builder(
              PREFIX + "threads.free",
              () -> of(name, view -> Math.max(0, threads - view.working() - view.overdue())))
          .description("threads of the type that run no handler")
          .tag("type", name)
          .register(registry);
    }
  }

  private void showRuns(String type, String state, ToIntFunction<TypeView> value) {
    Gauge.builder(PREFIX + "runs", () -> of(type, value))
        .description(
            "tasks that the worker holds: in its queue, in handlers, with an undelivered report; and"
                + " handlers that go on although their run has ended")
        .tag("type", type)
        .tag("state", state)
        .register(registry);
  }

  private double of(String type, ToIntFunction<TypeView> value) {
    Optional<TypeView> found =
        lifecycle.worker().stream()
            .flatMap(worker -> worker.view().types().stream())
            .filter(view -> view.taskType().equals(type))
            .findFirst();
    return found.map(view -> (double) value.applyAsInt(view)).orElse(0.0);
  }

  void ended(RunEnd end) {
    if (end.outcome().equals("lost")) {
      lost.increment();
    }
    if (end.took() != null) {
      runs.computeIfAbsent(new Ends(end.taskType(), end.taskStage(), end.outcome()), this::timerOf)
          .record(end.took());
    }
  }

  private Timer timerOf(Ends ends) {
    return Timer.builder(PREFIX + "run")
        .description(
            "runs of handlers, by the outcome that was reported; those that timed out, were lost or"
                + " cancelled")
        .tag("type", ends.type())
        .tag("stage", ends.stage())
        .tag("outcome", ends.outcome())
        .serviceLevelObjectives(OBJECTIVES)
        .register(registry);
  }
}
