package io.asyncflow.bench.bed;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.bench.option.BenchOptions;
import io.asyncflow.bench.option.Checkout;
import io.asyncflow.bench.resource.CpuMeter;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.host.FileTree;
import io.asyncflow.dev.stack.ServerProgram;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.redisson.api.RedissonClient;

/**
 * One durable database, one flowsvr, a Redis, and what talks to them: the same for every contender.
 *
 * <p>All of it is gone after {@link #close}, but for flowsvr's log.
 */
public final class TestBed implements FlowBed, AutoCloseable {

  /** Before the process id of the bench whose data it is. */
  private static final String DATA = "data-";

  /** Sixty-four clients, or threads, and what a peer needs beside them. */
  private static final int PEER_CONNECTIONS = 80;

  private final BenchDatabase database;
  private final String schema;
  private final Path data;
  private final ServerProcess server;
  private final List<Cluster> clusters = new ArrayList<>();
  private final FlowClient flow;
  private final Redis redis;
  private HikariDataSource peerConnections;

  private TestBed(
      BenchDatabase database, String schema, Path data, ServerProcess server, Redis redis) {
    this.database = database;
    this.schema = schema;
    this.data = data;
    this.server = server;
    this.flow = new HttpFlowClient(server.url(), null);
    this.redis = redis;
  }

  public static TestBed open(BenchOptions options, Checkout checkout) throws Exception {
    long pid = ProcessHandle.current().pid();
    ServerProgram program = checkout.serverProgram();
    Path target = Files.createDirectories(checkout.benchTarget());
    deleteLeftBehind(target);
    Path data = target.resolve(DATA + pid);
    BenchDatabase database = BenchDatabase.open(options, data.resolve("database"));
    String schema = "asyncflow_bench_" + pid;
    try {
      ServerProcess server =
          ServerProcess.start(
              program,
              serverJvm(options),
              database.endpoint(),
              schema,
              target.resolve("flowsvr.log"));
      try {
        return new TestBed(database, schema, data, server, Redis.start(data.resolve("redis")));
      } catch (RuntimeException e) {
        server.close();
        throw e;
      }
    } catch (Exception e) {
      discard(database, schema, data);
      throw e;
    }
  }

  /** Nobody who only wants to see that it works waits a minute for a table to be dropped. */
  private static List<String> serverJvm(BenchOptions options) {
    List<String> jvm = new ArrayList<>(options.serverJvm());
    if (options.smoke()) {
      jvm.add("-Dflow.governance.cleaning-interval=1s");
    }
    return jvm;
  }

  /**
   * Starts several servers on a schema of their own; {@link #close} closes them if their user has
   * not done so.
   *
   * @param name of the schema, after the bench's own
   * @param checkout whose server it is
   * @param settings of the servers, as {@code flow.schedule.ahead=0s}, or options of their JVMs, as
   *     {@code -Xmx2g}
   */
  public Cluster startCluster(
      String name, int servers, BenchOptions options, Checkout checkout, String... settings)
      throws Exception {
    List<String> jvm = serverJvm(options);
    for (String setting : settings) {
      jvm.add(setting.startsWith("-") ? setting : "-D" + setting);
    }
    Cluster cluster =
        Cluster.start(
            name,
            servers,
            checkout.serverProgram(),
            jvm,
            database.endpoint(),
            schema + "_" + name,
            data.resolveSibling("flowsvr-" + name));
    clusters.add(cluster);
    return cluster;
  }

  @Override
  public URI url() {
    return server.url();
  }

  @Override
  public FlowClient flow() {
    return flow;
  }

  public DatabaseEndpoint database() {
    return database.endpoint();
  }

  public boolean isMariaDb() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT VERSION()")) {
      row.next();
      return row.getString(1).contains("MariaDB");
    }
  }

  /** The seeds' design wants one; flowsvr does not know of it. */
  public RedissonClient redis() {
    return redis.client();
  }

  public long serverPid() {
    return server.pid();
  }

  /** A pool for the peers, who do not run at the same time; made when the first one needs it. */
  public DataSource peerConnections() {
    if (peerConnections == null) {
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(database.endpoint().jdbcUrl(schema));
      config.setUsername(database.endpoint().user());
      config.setPassword(database.endpoint().password());
      config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
      config.setMaximumPoolSize(PEER_CONNECTIONS);
      peerConnections = new HikariDataSource(config);
    }
    return peerConnections;
  }

  /** A table beside the task tables, of their shape. */
  public RawTable rawTable(String name) throws SQLException {
    return RawTable.create(database.endpoint(), schema, name);
  }

  @Override
  public Connection connect() throws SQLException {
    return database.endpoint().connect(schema);
  }

  /** How many tasks of a type are in a state, by its code. */
  int count(String type, int status) throws SQLException {
    try (Connection connection = connect()) {
      return count(connection, type, status);
    }
  }

  // The bench stays far below the number of rows at which a second table is begun.
  public static String firstTableOf(String type) {
    return "t_" + type + "_task_1";
  }

  /** Knows what everybody who is on this test bed at the moment uses of the processors. */
  public CpuMeter cpuMeter() {
    Map<String, Long> pids = new LinkedHashMap<>();
    pids.put("clients and workers", ProcessHandle.current().pid());
    pids.put("flowsvr", server.pid());
    clusters.forEach(cluster -> pids.putAll(cluster.pids()));
    pids.put("Redis", redis.pid());
    database.pid().ifPresent(pid -> pids.put("database", pid));
    return new CpuMeter(pids, database.pid().isPresent());
  }

  @Override
  public void close() throws Exception {
    try (redis;
        server) {
      for (Cluster cluster : clusters) {
        cluster.close();
      }
      if (peerConnections != null) {
        peerConnections.close();
      }
    } finally {
      discard(database, schema, data);
    }
  }

  private static void discard(BenchDatabase database, String schema, Path data) throws Exception {
    try (database) {
      database.endpoint().drop(schema);
    }
    FileTree.delete(data);
  }

  /** A bench that was interrupted leaves its data, which may be gigabytes. */
  private static void deleteLeftBehind(Path target) throws IOException {
    try (Stream<Path> files = Files.list(target)) {
      for (Path data : files.filter(TestBed::isLeftBehind).toList()) {
        try {
          FileTree.delete(data);
        } catch (DevException itsServerIsStillGoingDown) {
          // The next bench will find what is left.
        }
      }
    }
  }

  private static boolean isLeftBehind(Path data) {
    String name = data.getFileName().toString();
    return name.matches(DATA + "\\d{1,18}")
        && ProcessHandle.of(Long.parseLong(name.substring(DATA.length()))).isEmpty();
  }
}
