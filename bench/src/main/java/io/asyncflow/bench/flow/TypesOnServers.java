package io.asyncflow.bench.flow;

import io.asyncflow.bench.bed.Cluster;
import io.asyncflow.bench.bed.ServerStatus;
import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.measure.CallCost;
import io.asyncflow.bench.work.Arrivals;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Many types on two servers without Redis, with a hold parked for each type on each server: first
 * while nothing is due, and then with tasks that are created on the first server and can start only
 * on the second.
 */
public final class TypesOnServers implements Contender<CallCost> {

  private static final int SERVERS = 2;

  private final TestBed bed;
  private final Cluster cluster;
  private final List<String> types;
  private final int starts;
  private final Duration wait;
  private final Arrivals arrivals = new Arrivals();
  private ParkedHolds elsewhere;

  /**
   * @param cluster of two servers; closed with this
   * @param starts tasks to create in a round, each of another type; at most as many as types
   * @param wait how long a hold is parked before it is answered and sent again
   */
  public TypesOnServers(TestBed bed, Cluster cluster, int types, int starts, Duration wait) {
    this.bed = bed;
    this.cluster = cluster;
    this.types = IntStream.range(0, types).mapToObj(number -> "bench_type" + number).toList();
    this.starts = starts;
    this.wait = wait;
    this.types.forEach(type -> cluster.addType(Workload.type(type, 1)));
  }

  /** How many servers it takes. */
  public static int servers() {
    return SERVERS;
  }

  @Override
  public String name() {
    return types.size() + " types on " + SERVERS + " servers";
  }

  @Override
  public String conditions() {
    return "two flowsvr of their own without Redis; on each, a long poll of "
        + wait.toSeconds()
        + " s for each type, sent again when it is answered; the statements of the idle flowsvr of"
        + " the other parts are counted too; then "
        + starts
        + " tasks one by one, created on the first server and started on the second, "
        + Arrivals.inWords();
  }

  @Override
  public CallCost run(int seconds) throws Exception {
    if (elsewhere == null) {
      elsewhere = new ParkedHolds(cluster.flow(1), types, wait);
    }
    double statements;
    try (Connection connection = bed.connect();
        ParkedHolds here = new ParkedHolds(cluster.flow(0), types, wait)) {
      // Until all polls are parked and each server has seen the other.
      TimeUnit.NANOSECONDS.sleep(wait.toNanos());
      statements = ServerStatus.statementsPerSecond(connection, seconds);
    }
    return new CallCost(statements, startElsewhere());
  }

  private Histogram startElsewhere() throws Exception {
    Histogram latencies = new Histogram(3);
    for (int i = 0; i < starts; i++) {
      TimeUnit.NANOSECONDS.sleep(arrivals.nextGap().toNanos());
      long created = System.nanoTime();
      String task = cluster.flow(0).createTask(Workload.task(types.get(i), i));
      ParkedHolds.Start start = elsewhere.next();
      if (!start.taskId().equals(task)) {
        throw new IllegalStateException("not " + task + " was started, but " + start.taskId());
      }
      latencies.recordValue((start.nanos() - created) / 1000);
    }
    return latencies;
  }

  @Override
  public void close() throws Exception {
    try (cluster) {
      if (elsewhere != null) {
        elsewhere.close();
      }
    }
  }
}
