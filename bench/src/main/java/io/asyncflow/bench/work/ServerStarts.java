package io.asyncflow.bench.work;

import io.asyncflow.bench.bed.Cluster;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.measure.StartCost;
import io.asyncflow.bench.resource.ServerMemory;
import io.asyncflow.bench.system.FlowSystem;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A server on tables that exist is started, rests, and then does work for the first time. */
public final class ServerStarts implements Contender<StartCost> {

  private final Cluster cluster;
  private final FlowSystem system;
  private final TimedWork lives;
  private final Duration rest;

  /**
   * @param cluster of one server
   * @param system that uses it
   * @param rest from the moment at which it is ready to the work
   */
  public ServerStarts(Cluster cluster, FlowSystem system, Duration rest) {
    this.cluster = cluster;
    this.system = system;
    this.lives = TimedWork.lives(system);
    this.rest = rest;
  }

  @Override
  public String name() {
    return system.name();
  }

  @Override
  public String conditions() {
    return "as production runs it; " + rest.toSeconds() + " s of rest, and then whole lives";
  }

  @Override
  public StartCost run(int tasks) throws Exception {
    Duration start = cluster.restart();
    TimeUnit.NANOSECONDS.sleep(rest.toNanos());
    ServerMemory idle = memory();
    lives.run(tasks);
    ServerMemory after = memory();
    return new StartCost(
        start.toNanos() / 1e9, idle.residentMiB(), after.residentMiB(), after.peakMiB());
  }

  private ServerMemory memory() throws Exception {
    return ServerMemory.resident(cluster.pids().values().iterator().next());
  }
}
