package io.asyncflow.systemtest.worker;

import java.time.Duration;
import java.util.Map;

/**
 * What a scripted worker process is told at its start.
 *
 * @param workerId names it; with its process id it is its id to the server
 * @param url of flowsvr
 * @param redisUrl for its hold lock; {@code null} for none
 * @param taskType whose stages a, b and c it runs, and whose jobs it splits and merges
 * @param threads handlers that run at once
 * @param prefetch tasks held beyond its free threads
 * @param graceMs how long runs may go on after a stop
 * @param crashPoint where it dies
 * @param environment variables of its process
 * @param history directory that its history is written to
 * @param fleet what it has, and what its stages need
 */
public record WorkerPlan(
    String workerId,
    String url,
    String redisUrl,
    String taskType,
    int threads,
    int prefetch,
    long graceMs,
    CrashPoint crashPoint,
    Map<String, String> environment,
    String history,
    Fleet fleet) {

  /** The same with other room for tasks. */
  public WorkerPlan withRoom(int newThreads, int newPrefetch) {
    return new WorkerPlan(
        workerId,
        url,
        redisUrl,
        taskType,
        newThreads,
        newPrefetch,
        graceMs,
        crashPoint,
        environment,
        history,
        fleet);
  }

  /** The same with another grace. */
  public WorkerPlan withGrace(Duration grace) {
    return new WorkerPlan(
        workerId,
        url,
        redisUrl,
        taskType,
        threads,
        prefetch,
        grace.toMillis(),
        crashPoint,
        environment,
        history,
        fleet);
  }

  /** The same with its server elsewhere, behind a proxy for example. */
  public WorkerPlan at(String newUrl) {
    return new WorkerPlan(
        workerId,
        newUrl,
        redisUrl,
        taskType,
        threads,
        prefetch,
        graceMs,
        crashPoint,
        environment,
        history,
        fleet);
  }

  /** The same, and mortal. */
  public WorkerPlan dyingAt(CrashPoint point) {
    return new WorkerPlan(
        workerId,
        url,
        redisUrl,
        taskType,
        threads,
        prefetch,
        graceMs,
        point,
        environment,
        history,
        fleet);
  }

  /** The same with its Redis elsewhere. */
  public WorkerPlan withRedis(String newRedisUrl) {
    return new WorkerPlan(
        workerId,
        url,
        newRedisUrl,
        taskType,
        threads,
        prefetch,
        graceMs,
        crashPoint,
        environment,
        history,
        fleet);
  }

  /** The same with environment variables. */
  public WorkerPlan with(Map<String, String> variables) {
    return new WorkerPlan(
        workerId,
        url,
        redisUrl,
        taskType,
        threads,
        prefetch,
        graceMs,
        crashPoint,
        variables,
        history,
        fleet);
  }

  /** The same as a part of a fleet. */
  public WorkerPlan in(Fleet newFleet) {
    return new WorkerPlan(
        workerId,
        url,
        redisUrl,
        taskType,
        threads,
        prefetch,
        graceMs,
        crashPoint,
        environment,
        history,
        newFleet);
  }
}
