package io.asyncflow.worker.autoconfigure;

import io.asyncflow.worker.RunEnd;
import io.asyncflow.worker.Worker;
import io.asyncflow.worker.WorkerState;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the worker after all other components and stops it first, while all components that its
 * handlers use still run.
 */
public class WorkerLifecycle implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(WorkerLifecycle.class);

  private final Supplier<Worker.Builder> builders;
  private final StageBeans stages;
  private final ApplicationEventPublisher events;
  private final List<Consumer<Worker>> started = new CopyOnWriteArrayList<>();
  private final List<Consumer<RunEnd>> runEnds = new CopyOnWriteArrayList<>();
  private volatile Worker worker;

  /**
   * @param builders creates a builder for each start: a context may be stopped and started again
   */
  WorkerLifecycle(
      Supplier<Worker.Builder> builders, StageBeans stages, ApplicationEventPublisher events) {
    this.builders = builders;
    this.stages = stages;
    this.events = events;
  }

  /** Empty before the start, and in an application without handlers. */
  public Optional<Worker> worker() {
    return Optional.ofNullable(worker);
  }

  @Override
  public void start() {
    Worker.Builder builder = builders.get();
    if (stages.register(builder) == 0) {
      log.warn("no bean handles a stage (@Stage); there is no worker to start");
      return;
    }
    runEnds.forEach(builder::whenRunEnds);
    worker = builder.whenDrained(this::drained).build();
    worker.start();
    started.forEach(listener -> listener.accept(worker));
  }

  /**
   * Tells of each start of a worker, and of the ends of its runs.
   *
   * @param runs as {@link Worker.Builder#whenRunEnds}, of workers that start from now on
   */
  void watch(Consumer<Worker> starts, Consumer<RunEnd> runs) {
    runEnds.add(runs);
    started.add(starts);
    worker().ifPresent(starts);
  }

  private void drained() {
    events.publishEvent(new WorkerDrainedEvent(worker));
  }

  @Override
  public void stop() {
    if (worker != null) {
      worker.close();
    }
  }

  @Override
  public boolean isRunning() {
    return worker != null && worker.state() == WorkerState.RUNNING;
  }

  /** Last to start and first to stop. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
