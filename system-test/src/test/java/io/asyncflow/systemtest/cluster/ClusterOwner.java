package io.asyncflow.systemtest.cluster;

import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What another JVM runs for the test that kills it: a cluster of one of each. */
final class ClusterOwner {

  private ClusterOwner() {}

  /** Prints the process ids of database, Redis, server and worker in one line, and waits. */
  public static void main(String[] arguments) throws IOException {
    Cluster cluster = Cluster.start("orphaned");
    List<ServerNode> servers = cluster.startServers(2);
    WorkerNode worker =
        Scenario.of(cluster, "orphaned", TypePlan.quick()).startWorker(servers.get(0));
    Stream<Long> pids =
        Stream.of(
            cluster.database().pid(),
            cluster.redis().pid(),
            servers.get(0).pid(),
            servers.get(1).pid(),
            worker.pid());
    System.out.println(pids.map(String::valueOf).collect(Collectors.joining(" ")));
    while (System.in.read() >= 0) {
      // until it is killed
    }
  }
}
