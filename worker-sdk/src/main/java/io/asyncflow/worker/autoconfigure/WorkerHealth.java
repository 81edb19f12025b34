package io.asyncflow.worker.autoconfigure;

import io.asyncflow.worker.Worker;
import io.asyncflow.worker.WorkerState;
import io.asyncflow.worker.WorkerView;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the application's health says of the worker, in the words of Spring Boot's Actuator.
 *
 * <p>DOWN if the worker is unhealthy: handlers are stuck, which only a restart solves, or every
 * slot is quarantined. OUT_OF_SERVICE if it was stopped or drained. An unavailable flowsvr is only
 * a detail, because a restart would not help.
 *
 * @param status the code of a status of the Actuator
 */
record WorkerHealth(String status, Map<String, Object> details) {

  static WorkerHealth of(WorkerLifecycle lifecycle) {
    return lifecycle
        .worker()
        .map(Worker::view)
        .map(WorkerHealth::of)
        .orElseGet(() -> new WorkerHealth("UNKNOWN", Map.of()));
  }

  static WorkerHealth of(WorkerView view) {
    Map<String, Object> details = new LinkedHashMap<>();
    if (view.problem() != null) {
      details.put("problem", view.problem());
    }
    details.put("workerId", view.workerId());
    details.put("state", view.state());
    details.put("quarantinedSlots", view.quarantined());
    details.put("types", view.types());
    return new WorkerHealth(statusOf(view), details);
  }

  private static String statusOf(WorkerView view) {
    if (view.problem() != null) {
      return "DOWN";
    }
    return view.state() == WorkerState.RUNNING ? "UP" : "OUT_OF_SERVICE";
  }
}
