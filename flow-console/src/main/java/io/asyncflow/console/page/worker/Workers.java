package io.asyncflow.console.page.worker;

import io.asyncflow.api.FlowException;
import io.asyncflow.console.frame.Calls;
import java.util.Map;

/** Calls that read workers. Thread-safe. */
public final class Workers {

  private static final int MOST = 1_000;

  /** Servers write what workers tell them more often, so that no page has to make them do it. */
  private static final int AGE_MS = 15_000;

  private final Calls calls;

  public Workers(Calls calls) {
    this.calls = calls;
  }

  /**
   * The workers that the server knows.
   *
   * @throws FlowException if the operator may not see them, or if they cannot be read now
   */
  public Fleet fleet() {
    return calls.shared(
        Fleet.class, Fleet::of, "/api/worker/list", "limit", MOST, "maxAgeMs", AGE_MS);
  }

  /** One of them, also if it is not among the latest. */
  Worker get(String id) {
    return calls.get(
        Worker.class, "workerData", "/api/worker/get", Map.of("workerId", id, "maxAgeMs", AGE_MS));
  }
}
