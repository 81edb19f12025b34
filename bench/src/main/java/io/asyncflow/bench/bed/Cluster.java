package io.asyncflow.bench.bed;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.bench.resource.CpuMeter;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.stack.ServerProgram;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Several flowsvr without Redis on a schema of their own, beside the one of the {@link TestBed}:
 * they see no type or table of the other parts.
 */
public final class Cluster implements FlowBed, AutoCloseable {

  private final String name;
  private final DatabaseEndpoint database;
  private final String schema;
  private final IntFunction<ServerProcess> starts;
  private final List<ServerProcess> servers = new ArrayList<>();
  private final List<FlowClient> clients = new ArrayList<>();
  private boolean closed;

  private Cluster(
      String name, DatabaseEndpoint database, String schema, IntFunction<ServerProcess> starts) {
    this.name = name;
    this.database = database;
    this.schema = schema;
    this.starts = starts;
  }

  /**
   * Starts the servers one after the other; the first one makes the tables.
   *
   * @param name tells it from other clusters, as {@code types}
   * @param log of the first server is {@code log-1.log}, and so on
   */
  static Cluster start(
      String name,
      int size,
      ServerProgram program,
      List<String> jvm,
      DatabaseEndpoint database,
      String schema,
      Path log)
      throws Exception {
    IntFunction<ServerProcess> starts =
        number ->
            ServerProcess.start(
                program,
                jvm,
                database,
                schema,
                log.resolveSibling(log.getFileName() + "-" + number + ".log"));
    Cluster cluster = new Cluster(name, database, schema, starts);
    try {
      for (int i = 1; i <= size; i++) {
        ServerProcess server = starts.apply(i);
        cluster.servers.add(server);
        cluster.clients.add(new HttpFlowClient(server.url(), null));
      }
      return cluster;
    } catch (Exception e) {
      cluster.close();
      throw e;
    }
  }

  /**
   * Stops the first server, and starts it again at another URL.
   *
   * @return how long it took from the start of the process until it was ready
   */
  public Duration restart() {
    servers.get(0).close();
    servers.set(0, starts.apply(1));
    clients.set(0, new HttpFlowClient(url(), null));
    return servers.get(0).start();
  }

  /**
   * A client of one of the servers.
   *
   * @param server from 0
   */
  public FlowClient flow(int server) {
    return clients.get(server);
  }

  /** A client of the first server. */
  @Override
  public FlowClient flow() {
    return flow(0);
  }

  /** The URL of the first server. */
  @Override
  public URI url() {
    return servers.get(0).url();
  }

  /**
   * A client of one of the servers that sends a key.
   *
   * @param server from 0
   */
  public FlowClient flow(int server, String apiKey) {
    return new HttpFlowClient(servers.get(server).url(), apiKey);
  }

  /** How many servers there are. */
  public int size() {
    return clients.size();
  }

  /** A connection to the schema of the servers. */
  @Override
  public Connection connect() throws SQLException {
    return database.connect(schema);
  }

  /** Reads what these servers use of the processors. */
  public CpuMeter cpuMeter() {
    return new CpuMeter(pids(), false);
  }

  /** The processes that run, by their names. */
  public Map<String, Long> pids() {
    Map<String, Long> pids = new LinkedHashMap<>();
    for (int i = 0; i < servers.size(); i++) {
      pids.put("flowsvr " + name + "-" + (i + 1), servers.get(i).pid());
    }
    return pids;
  }

  /** Stops the servers and drops their schema; does nothing the second time. */
  @Override
  public void close() throws InterruptedException, SQLException {
    if (closed) {
      return;
    }
    closed = true;
    for (ServerProcess server : servers) {
      server.close();
    }
    servers.clear();
    database.drop(schema);
  }
}
