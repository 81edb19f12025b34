package io.asyncflow.bench.flow;

import io.asyncflow.bench.bed.Cluster;
import io.asyncflow.bench.bed.ServerStatus;
import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.measure.FleetCost;
import io.asyncflow.bench.measure.FleetCost.Load;
import io.asyncflow.bench.resource.CpuMeter;
import io.asyncflow.bench.resource.CpuReading;
import io.asyncflow.bench.resource.CpuUse;
import io.asyncflow.bench.resource.ProcessLook;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Many workers of some types on three servers without Redis, each with a hold parked, and there are
 * no tasks: compared with the same servers before the first worker.
 */
public final class IdleFleet implements Contender<FleetCost> {

  private static final int SERVERS = 3;
  private static final int TYPES = 20;
  private static final String DATABASE = "database";

  /** From the start of a worker to that of the next: their beats are spread over a minute. */
  private static final Duration APART = Duration.ofMillis(20);

  /** What a server plans for a connection, in KiB, of a third of its heap: docs/operating.md. */
  private static final int KIB_EACH = 80;

  private static final int PART_OF_THE_HEAP = 3;

  /** So many of a server's connections may wait. */
  private static final double MAY_WAIT = 0.6;

  /** Those that are answered while their next holds arrive. */
  private static final double MARGIN = 1.05;

  private static final int LEAST_MIB = 1_024;
  private static final int STEP_MIB = 256;

  private final TestBed bed;
  private final Cluster cluster;
  private final int workers;
  private final Duration wait;
  private final List<String> types =
      IntStream.range(0, TYPES).mapToObj(number -> "bench_fleet" + number).toList();
  private LightWorkers fleet;
  private Load without;
  private double liveBefore;

  /**
   * @param cluster of three servers with a {@linkplain #heapMiB heap that is large enough}; closed
   *     with this
   * @param wait how long a hold is parked before it is answered and sent again
   */
  public IdleFleet(TestBed bed, Cluster cluster, int workers, Duration wait) {
    this.bed = bed;
    this.cluster = cluster;
    this.workers = workers;
    this.wait = wait;
    types.forEach(type -> cluster.addType(Workload.type(type, 1)));
  }

  /** How many servers it takes. */
  public static int servers() {
    return SERVERS;
  }

  /** The heap of a server, in MiB, that lets its part of the workers wait. */
  public static int heapMiB(int workers) {
    double connections = MARGIN * workers / SERVERS / MAY_WAIT;
    int needed = (int) (connections * KIB_EACH * PART_OF_THE_HEAP / 1024);
    return Math.max(LEAST_MIB, (needed + STEP_MIB - 1) / STEP_MIB * STEP_MIB);
  }

  @Override
  public String name() {
    return String.format(Locale.ROOT, "%,d workers on %d servers", workers, SERVERS);
  }

  @Override
  public String conditions() {
    return SERVERS
        + " flowsvr of their own without Redis, with "
        + heapMiB(workers)
        + " MiB of heap each; "
        + TYPES
        + " types; each worker sends what one of the SDK does, a long poll of "
        + wait.toSeconds()
        + " s, and once a minute a heartbeat and a look at the types; the clients share connections, so"
        + " a worker has one, where one of the SDK keeps another for its heartbeats; the statements of"
        + " the idle flowsvr of the other parts are counted with and without workers";
  }

  @Override
  public FleetCost run(int seconds) throws Exception {
    if (fleet == null) {
      fleet = new LightWorkers(wait);
      TimeUnit.SECONDS.sleep(seconds); // for the servers, which have just been started
      without = watch(seconds);
      liveBefore = liveMiB();
      start();
    }
    TimeUnit.NANOSECONDS.sleep(wait.toNanos()); // the collection of the round before has kept holds
    Load with = watch(seconds);
    fleet.check();
    return new FleetCost(without, with, (liveMiB() - liveBefore) * 1024 / workers);
  }

  private void start() throws InterruptedException {
    for (int i = 0; i < workers; i++) {
      fleet.start(cluster.flow(i % SERVERS).transport(), types.get(i % TYPES), "bench-worker-" + i);
      TimeUnit.NANOSECONDS.sleep(APART.toNanos());
    }
    fleet.check();
  }

  private Load watch(int seconds) throws Exception {
    Set<String> servers = cluster.cpuMeter().get().ownTicks().keySet();
    CpuMeter meter = bed.cpuMeter();
    try (Connection connection = bed.connect()) {
      long rows = ServerStatus.rowsWritten(connection);
      long calls = fleet.calls();
      CpuReading before = meter.get();
      double statements = ServerStatus.statementsPerSecond(connection, seconds);
      CpuReading after = meter.get();
      double elapsed = (after.nanos() - before.nanos()) / 1e9;
      Map<String, Double> cores = CpuUse.between(before, after).ownCores(elapsed);
      return new Load(
          statements,
          (ServerStatus.rowsWritten(connection) - rows) / elapsed,
          (fleet.calls() - calls) / elapsed,
          servers.stream().mapToDouble(cores::get).sum(),
          cores.getOrDefault(DATABASE, 0.0));
    }
  }

  /** Of all servers together, after a collection. */
  private double liveMiB() throws Exception {
    double sum = 0;
    for (long pid : cluster.pids().values()) {
      sum += ProcessLook.at(pid).liveMiB();
    }
    return sum;
  }

  @Override
  public void close() throws Exception {
    try (cluster) {
      if (fleet != null) {
        fleet.close();
      }
    }
  }
}
