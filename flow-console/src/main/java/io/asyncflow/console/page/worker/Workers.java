package io.asyncflow.console.page.worker;

import io.asyncflow.api.FlowException;
import io.asyncflow.console.frame.Calls;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * The workers that the server knows. Pages that are answered the same share what was made of it: a
 * thousand workers are half a megabyte. Thread-safe.
 */
public final class Workers {

  private static final int MOST = 1_000;

  /** Servers write what workers tell them more often, so that no page has to make them do it. */
  private static final int AGE_MS = 15_000;

  private final Calls calls;
  private volatile Read last = new Read(null, List.of());

  public Workers(Calls calls) {
    this.calls = calls;
  }

  private record Read(JsonNode answer, List<Worker> workers) {}

  /**
   * The latest beat first.
   *
   * @throws FlowException if the operator may not see them, or if they cannot be read now
   */
  public List<Worker> list() {
    JsonNode answer = calls.call("/api/worker/list", Map.of("limit", MOST, "maxAgeMs", AGE_MS));
    Read known = last;
    if (known.answer() != answer) {
      known = new Read(answer, List.copyOf(Calls.list(Worker.class, "workerList", answer)));
      last = known;
    }
    return known.workers();
  }

  /** One of them, also if it is not among the latest. */
  Worker get(String id) {
    return calls.get(
        Worker.class, "workerData", "/api/worker/get", Map.of("workerId", id, "maxAgeMs", AGE_MS));
  }
}
