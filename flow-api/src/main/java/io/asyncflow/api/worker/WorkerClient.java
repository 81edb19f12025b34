package io.asyncflow.api.worker;

import io.asyncflow.api.Answer;
import io.asyncflow.api.Call;
import io.asyncflow.api.Transport;
import java.time.Duration;
import java.util.List;

/**
 * The calls of flowsvr's contract about workers, for operators; see {@link
 * io.asyncflow.api.FlowClient} for the exceptions. Thread-safe.
 *
 * @param transport sends the calls
 */
public record WorkerClient(Transport transport) {

  private static final Answer<List<Worker>> WORKERS = Answer.of(Workers.class, Workers::workerList);
  private static final Answer<Worker> WORKER = Answer.of(Found.class, Found::workerData);

  private record Workers(List<Worker> workerList) {}

  private record Found(Worker workerData) {}

  /**
   * The workers, the one with the latest sign of life first.
   *
   * @param limit 1 to 1,000; {@code null} for 100
   */
  public List<Worker> list(Integer limit) {
    return transport.send(Call.to("/api/worker/list", WORKERS).with("limit", limit));
  }

  /**
   * Reads a worker.
   *
   * @throws io.asyncflow.api.FlowException with {@link io.asyncflow.api.ErrorCode#NO_SUCH_OBJECT}
   *     if it has sent no heartbeat for a day
   */
  public Worker get(String workerId) {
    return transport.send(Call.to("/api/worker/get", WORKER).with("workerId", workerId));
  }

  /**
   * Tells a worker to finish what it runs, to release what it has not begun, and to stop.
   *
   * @param grace after so long it interrupts what it still runs; {@code null} for never
   * @param operator recorded with the act; {@code null} for none
   * @param reason recorded with the act; {@code null} for none
   */
  public void drain(String workerId, Duration grace, String operator, String reason) {
    transport.send(
        Call.to("/api/worker/drain")
            .with("workerId", workerId)
            .with("graceMs", grace == null ? null : grace.toMillis())
            .by(operator, reason));
  }

  /** Takes a drain back that the worker has not heard of. */
  public void undoDrain(String workerId, String operator, String reason) {
    transport.send(
        Call.to("/api/worker/drain")
            .with("workerId", workerId)
            .with("undo", 1)
            .by(operator, reason));
  }
}
