package io.asyncflow.api.worker;

import java.time.Duration;
import java.util.List;

/**
 * The calls of flowsvr's contract about workers, for operators; see {@link
 * io.asyncflow.api.FlowClient} for the exceptions. Implementations are thread-safe.
 */
public interface WorkerClient {

  /**
   * The workers, the one with the latest sign of life first.
   *
   * @param limit 1 to 1,000; {@code null} for 100
   */
  List<Worker> list(Integer limit);

  /**
   * Reads a worker.
   *
   * @throws io.asyncflow.api.FlowException with {@link io.asyncflow.api.ErrorCode#NO_SUCH_OBJECT}
   *     if it has sent no heartbeat for a day
   */
  Worker get(String workerId);

  /**
   * Tells a worker to finish what it runs, to release what it has not begun, and to stop.
   *
   * @param grace after so long it interrupts what it still runs; {@code null} for never
   * @param operator recorded with the act; {@code null} for none
   * @param reason recorded with the act; {@code null} for none
   */
  void drain(String workerId, Duration grace, String operator, String reason);

  /** Takes a drain back that the worker has not heard of. */
  void undoDrain(String workerId, String operator, String reason);
}
