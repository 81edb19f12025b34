package io.asyncflow.worker;

import java.util.List;

/**
 * What a worker does at this moment, for health checks and for people.
 *
 * @param slots places on devices, and how many of them are free
 * @param quarantined the places that are not used for now, as {@code cuda:0/1}: the last three runs
 *     on each met a lack of memory or a program that does not start
 * @param spooled reports on disk that wait for flowsvr
 * @param problem why the worker is unhealthy; {@code null} if it is not. A server that does not
 *     answer is no illness of the worker
 */
public record WorkerView(
    String workerId,
    WorkerState state,
    List<TypeView> types,
    int slots,
    int freeSlots,
    List<String> quarantined,
    int spooled,
    String problem) {

  /**
   * One type of a worker.
   *
   * @param poller PENDING, POLLING or STOPPED
   * @param queued held, waiting for a thread or a slot
   * @param working in their handlers
   * @param reporting with a report on its way
   * @param overdue threads in handlers that go on although their run is over: they heed no
   *     interrupt, and keep their thread and slot until they end
   * @param stuck those of them that were interrupted ten seconds ago or more
   * @param problem why holds fail just now; {@code null} if they do not
   */
  public record TypeView(
      String taskType,
      String poller,
      int queued,
      int working,
      int reporting,
      int overdue,
      int stuck,
      String problem) {}
}
