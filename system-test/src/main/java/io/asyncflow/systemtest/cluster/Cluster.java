package io.asyncflow.systemtest.cluster;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.embedded.Durability;
import io.asyncflow.dev.embedded.EmbeddedMariaDb;
import io.asyncflow.dev.embedded.EmbeddedRedis;
import io.asyncflow.dev.environment.Installation;
import io.asyncflow.dev.host.FileTree;
import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.dev.process.ProcessLog;
import io.asyncflow.dev.stack.ServerProgram;
import io.asyncflow.systemtest.wire.TcpProxy;
import io.asyncflow.systemtest.worker.ScriptedWorker;
import io.asyncflow.systemtest.worker.WorkerPlan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/**
 * Several real processes on one machine: a database, a Redis if wanted, flowsvr from its built jar
 * as often as wanted, and scripted workers.
 *
 * <p>Everything ends with {@link #close}, and within seconds when this JVM ends another way,
 * whatever way that is. Logs and histories stay in the cluster's directory, data does not.
 * Thread-safe.
 */
public final class Cluster implements AutoCloseable {

  private static final String SCHEMA = "asyncflow";
  private static final String SERVER_HEAP = "512m";
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Path directory;
  private final Path data;
  private final EmbeddedMariaDb database;
  private final DatabaseAccess access;
  private final Way way;
  private final EmbeddedRedis redis;
  private final List<ServerNode> servers = new ArrayList<>();
  private final List<WorkerNode> workers = new ArrayList<>();

  private Cluster(Path directory, Path data, Map<String, String> variables, boolean withRedis) {
    this.directory = directory;
    this.data = data;
    this.database = EmbeddedMariaDb.start(data, 0, Durability.RELAXED, variables);
    this.access = DatabaseAccess.to(database.endpoint(), SCHEMA);
    this.way = access::connect;
    this.redis = withRedis ? EmbeddedRedis.start(directory.resolve("redis"), 0) : null;
  }

  private Cluster(Path directory, GivenDatabase given, boolean withRedis) {
    this.directory = directory;
    this.data = null;
    this.database = null;
    this.access = given.access();
    this.way = given::connect;
    this.redis = withRedis ? EmbeddedRedis.start(directory.resolve("redis"), 0) : null;
  }

  /** Starts a database, whose commits survive its end but no power failure, and a Redis. */
  public static Cluster start(String name) {
    Path directory = newDirectory(name);
    return new Cluster(directory, dataIn(directory), Map.of(), true);
  }

  /** The same without a Redis. */
  public static Cluster startWithoutRedis(String name) {
    Path directory = newDirectory(name);
    return new Cluster(directory, dataIn(directory), Map.of(), false);
  }

  /**
   * The same with the database's data elsewhere.
   *
   * @param data its directory, which is deleted at the end
   */
  public static Cluster startWithoutRedis(String name, Path data) {
    return new Cluster(newDirectory(name), data, Map.of(), false);
  }

  /**
   * The same with environment variables of the database's process.
   *
   * @param variables to add
   */
  public static Cluster startWithoutRedis(String name, Map<String, String> variables) {
    Path directory = newDirectory(name);
    return new Cluster(directory, dataIn(directory), variables, false);
  }

  /** Starts a Redis beside a database of the caller's, which is left as it is at the end. */
  public static Cluster on(GivenDatabase database, String name) {
    return new Cluster(newDirectory(name), database, true);
  }

  /** The same without a Redis. */
  public static Cluster onWithoutRedis(GivenDatabase database, String name) {
    return new Cluster(newDirectory(name), database, false);
  }

  /** How tests get into the schema of the servers. */
  @FunctionalInterface
  private interface Way {

    /** A connection of the caller's, in auto-commit mode. */
    Connection connect() throws SQLException;
  }

  /** One that nobody has used: a test that is run again must not find its first run's histories. */
  private static Path newDirectory(String name) {
    Path clusters = Java.home().resolve("system-test").resolve("target").resolve("clusters");
    return IntStream.iterate(1, run -> run + 1)
        .mapToObj(run -> clusters.resolve(name + "-" + ProcessHandle.current().pid() + "-" + run))
        .filter(Files::notExists)
        .findFirst()
        .orElseThrow();
  }

  private static Path dataIn(Path directory) {
    return directory.resolve("mariadb");
  }

  public Path directory() {
    return directory;
  }

  /**
   * @throws IllegalStateException if the database is the caller's
   */
  public EmbeddedMariaDb database() {
    if (database == null) {
      throw new IllegalStateException("this cluster has no database of its own");
    }
    return database;
  }

  /**
   * @throws IllegalStateException if it was started without
   */
  public EmbeddedRedis redis() {
    if (redis == null) {
      throw new IllegalStateException("this cluster has no Redis");
    }
    return redis;
  }

  /** The address for servers and workers; empty without a Redis. */
  public String redisUrl() {
    return redis == null ? "" : redis.url();
  }

  /** The address of the database for servers that reach it through a proxy. */
  public String databaseUrlVia(TcpProxy proxy) {
    DatabaseEndpoint direct = database().endpoint();
    return new DatabaseEndpoint(
            direct.product(), direct.host(), proxy.port(), direct.user(), direct.password())
        .jdbcUrl(SCHEMA);
  }

  /** The address of Redis for servers and workers that reach it through a proxy. */
  public String redisUrlVia(TcpProxy proxy) {
    return redis().urlVia(proxy.port());
  }

  /** A connection to the schema of the servers, past all of them. */
  public Connection connect() throws SQLException {
    return way.connect();
  }

  /** Starts servers side by side and returns when all are ready. */
  public List<ServerNode> startServers(int count) {
    List<ServerNode> started =
        IntStream.range(0, count).mapToObj(i -> launchServer(plan -> plan)).toList();
    started.forEach(ServerNode::awaitReady);
    return started;
  }

  /** Starts a server and returns when it is ready. */
  public ServerNode startServer(UnaryOperator<ServerPlan> change) {
    ServerNode server = launchServer(change);
    server.awaitReady();
    return server;
  }

  /** Starts a server, which is not ready yet. */
  public synchronized ServerNode launchServer(UnaryOperator<ServerPlan> change) {
    ServerPlan plan =
        change.apply(
            new ServerPlan(
                "server-" + (servers.size() + 1),
                LoopbackPort.free(),
                access.url(),
                redisUrl(),
                SERVER_HEAP,
                Map.of()));
    Map<String, String> variables = plan.allVariables(access.user(), access.password());
    List<String> command = new ArrayList<>();
    command.addAll(Java.command("-Xmx" + plan.heap(), "-Djava.io.tmpdir=" + temporaryFiles()));
    command.addAll(ServerProgram.of(new Installation(Java.home())).arguments());
    ServerNode server = new ServerNode(plan, program(plan.name(), command, variables));
    servers.add(server);
    return server;
  }

  /** Starts a worker, which is not ready yet. */
  public WorkerNode launchWorker(WorkerPlan plan) {
    return launchWorker(
        plan.workerId(),
        ScriptedWorker.class,
        ScriptedWorker.READY,
        // Not an argument, which all users of the machine can see: the plan has Redis' password.
        with(plan.environment(), ScriptedWorker.PLAN, JSON.writeValueAsString(plan)));
  }

  /**
   * Starts a worker with a program of its own, which is not ready yet.
   *
   * @param program whose main method runs it, until the end of its standard input
   * @param ready what it prints when it polls
   */
  public WorkerNode launchWorker(String name, Class<?> program, String ready, String... arguments) {
    return launchWorker(name, program, ready, Map.of(), arguments);
  }

  private WorkerNode launchWorker(
      String name,
      Class<?> program,
      String ready,
      Map<String, String> environment,
      String... arguments) {
    List<String> command =
        Stream.concat(
                Java.command(
                    "-Xmx256m",
                    "-Djava.io.tmpdir=" + temporaryFiles(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    program.getName())
                    .stream(),
                Stream.of(arguments))
            .toList();
    return launchProgram(name, command, environment, ready);
  }

  /**
   * Starts a worker in any language, which is not ready yet.
   *
   * @param environment variables to add; an empty value removes one
   * @param ready what it prints when it polls
   */
  public synchronized WorkerNode launchProgram(
      String name, List<String> command, Map<String, String> environment, String ready) {
    WorkerNode worker = new WorkerNode(program(name, command, environment), ready);
    workers.add(worker);
    return worker;
  }

  private static Map<String, String> with(
      Map<String, String> environment, String name, String value) {
    Map<String, String> whole = new HashMap<>(environment);
    whole.put(name, value);
    return whole;
  }

  /** Who is killed tidies nothing up, so it is done with the cluster. */
  private Path temporaryFiles() {
    return FileTree.create(directory.resolve("tmp"));
  }

  private Node.Program program(String name, List<String> command, Map<String, String> environment) {
    Path log = FileTree.create(directory.resolve("logs")).resolve(name + ".log");
    return new Node.Program(new ProcessLog(name, log, true), command, environment, directory);
  }

  public synchronized List<ServerNode> servers() {
    return List.copyOf(servers);
  }

  public synchronized List<WorkerNode> workers() {
    return List.copyOf(workers);
  }

  /** Kills everything and deletes the data. */
  @Override
  public synchronized void close() {
    workers.forEach(Node::kill);
    servers.forEach(Node::kill);
    if (database != null) {
      database.kill();
      database.close();
      FileTree.delete(data);
    }
    FileTree.delete(temporaryFiles());
    if (redis != null) {
      redis.close();
      FileTree.delete(directory.resolve("redis"));
    }
  }
}
