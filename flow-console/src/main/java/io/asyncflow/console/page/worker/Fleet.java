package io.asyncflow.console.page.worker;

import io.asyncflow.api.Answer;
import io.asyncflow.api.Call;
import io.asyncflow.api.FlowException;
import io.asyncflow.console.frame.Visit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The workers that the server knows, and what is found out of each of a thousand.
 *
 * @param workers the latest beat first
 * @param counts how many are in each state
 * @param worried those that an operator should look at, in the same order
 */
public record Fleet(List<Worker> workers, Map<String, Integer> counts, List<Worker> worried) {

  /** Servers write what workers tell them more often, so that no page has to make them do it. */
  static final int AGE_MS = 15_000;

  /** What pages share is judged once. */
  private static final Call<Fleet> LIST =
      Call.to("/api/worker/list", Answer.of(Listed.class, listed -> of(listed.workerList())))
          .with("limit", 1_000)
          .with("maxAgeMs", AGE_MS);

  private static final List<String> STATES =
      List.of("alive", "draining", "paused", "lost", "stopped");

  private record Listed(List<Worker> workerList) {}

  /**
   * The workers that the server knows.
   *
   * @throws FlowException if the operator may not see them, or if they cannot be read now
   */
  public static Fleet read(Visit visit) {
    return visit.send(LIST);
  }

  private static Fleet of(List<Worker> workers) {
    return new Fleet(workers, counts(workers), workers.stream().filter(Fleet::isWorried).toList());
  }

  private static Map<String, Integer> counts(List<Worker> workers) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    STATES.forEach(state -> counts.put(state, 0));
    workers.forEach(worker -> counts.merge(worker.state(), 1, Integer::sum));
    return Collections.unmodifiableMap(counts);
  }

  private static boolean isWorried(Worker worker) {
    return switch (worker.state()) {
      case "lost" -> worker.heldTasks() > 0;
      case "stopped" -> false; // what it said of itself is over
      default -> !worker.worries().isEmpty();
    };
  }
}
