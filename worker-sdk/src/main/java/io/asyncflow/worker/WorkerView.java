package io.asyncflow.worker;

import java.util.List;

/**
 * A snapshot of a worker's activity, for health checks and people.
 *
 * @param slots the places of each device, and how many of them are free
 * @param quarantined the places that are temporarily not used, such as {@code cuda:0/1}: on each,
 *     the last three runs lacked memory or a program that starts
 * @param spooled the number of undelivered reports on disk
 * @param localRetries how often a handler was run again in its hold since the start
 * @param problem why the worker is unhealthy; {@code null} if it is healthy. An unavailable server
 *     does not make the worker unhealthy
 */
public record WorkerView(
    String workerId,
    WorkerState state,
    List<TypeView> types,
    int slots,
    int freeSlots,
    List<String> quarantined,
    int spooled,
    long localRetries,
    String problem) {

  /**
   * One type of a worker.
   *
   * @param poller PENDING, POLLING or STOPPED
   * @param queued the number of tasks that wait for a thread or a slot
   * @param working the number of tasks in handlers
   * @param reporting the number of tasks with an undelivered report
   * @param overdue the number of handlers that continue although their run has ended: they ignore
   *     the interrupt and occupy their thread and slot
   * @param stuck the number of those that were interrupted at least ten seconds ago
   * @param problem why holds fail at present; {@code null} if they do not
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
