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

  /** An immortal worker of eight threads, with a grace of 20 s and no Redis, unless it is told. */
  public static Builder of(String workerId, String taskType, String history) {
    return new Builder(workerId, taskType, history);
  }

  /** Says what a worker has that others have not. For one thread. */
  public static final class Builder {

    private final String workerId;
    private final String taskType;
    private final String history;
    private String url;
    private String redisUrl;
    private int threads = 8;
    private int prefetch = 8;
    private Duration grace = Duration.ofSeconds(20);
    private CrashPoint crashPoint = CrashPoint.NONE;
    private Map<String, String> environment = Map.of();
    private Fleet fleet = Fleet.PLAIN;

    private Builder(String workerId, String taskType, String history) {
      this.workerId = workerId;
      this.taskType = taskType;
      this.history = history;
    }

    /** Where its server is, or a proxy before it. */
    public Builder at(String value) {
      url = value;
      return this;
    }

    /** Where its Redis is. */
    public Builder withRedis(String value) {
      redisUrl = value;
      return this;
    }

    /** How much it takes at once. */
    public Builder withRoom(int newThreads, int newPrefetch) {
      threads = newThreads;
      prefetch = newPrefetch;
      return this;
    }

    public Builder withGrace(Duration value) {
      grace = value;
      return this;
    }

    /** Makes it mortal. */
    public Builder dyingAt(CrashPoint value) {
      crashPoint = value;
      return this;
    }

    /** Environment variables of its process. */
    public Builder with(Map<String, String> variables) {
      environment = variables;
      return this;
    }

    /** Makes it a part of a fleet. */
    public Builder in(Fleet value) {
      fleet = value;
      return this;
    }

    public WorkerPlan build() {
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
  }
}
