package io.asyncflow.worker.autoconfigure;

import io.asyncflow.worker.Worker;
import io.asyncflow.worker.WorkerState;
import io.asyncflow.worker.WorkerView;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * DOWN if the worker is unhealthy: handlers are stuck, which only a restart solves, or every slot
 * is quarantined. OUT_OF_SERVICE if it was stopped or drained. An unavailable flowsvr is only a
 * detail, because a restart would not help.
 */
class WorkerHealthIndicator extends AbstractHealthIndicator {

  private final WorkerLifecycle lifecycle;

  WorkerHealthIndicator(WorkerLifecycle lifecycle) {
    super("the state of the worker cannot be read");
    this.lifecycle = lifecycle;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    lifecycle
        .worker()
        .map(Worker::view)
        .ifPresentOrElse(view -> describe(view, health), health::unknown);
  }

  static void describe(WorkerView view, Health.Builder health) {
    if (view.problem() != null) {
      health.down().withDetail("problem", view.problem());
    } else if (view.state() == WorkerState.RUNNING) {
      health.up();
    } else {
      health.outOfService();
    }
    health
        .withDetail("workerId", view.workerId())
        .withDetail("state", view.state())
        .withDetail("quarantinedSlots", view.quarantined())
        .withDetail("types", view.types());
  }
}
