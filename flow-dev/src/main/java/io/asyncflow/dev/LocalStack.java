package io.asyncflow.dev;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * The whole of Asyncflow on one machine: MariaDB and Redis, flowsvr, and the example workers, each
 * a child process, all on loopback and in one directory.
 *
 * <p>{@link #start} belongs to one thread; {@link #close} may come from any other at any time, be
 * it while things start, and stops what has started in the opposite order.
 */
final class LocalStack implements AutoCloseable {
  private static final Duration SERVER_PATIENCE = Duration.ofSeconds(120);
  private static final Duration PROBE_PATIENCE = Duration.ofSeconds(5);
  // A developer waits at the terminal: a run that is cut off goes on after the next start.
  private static final Duration WORKER_GRACE = Duration.ofSeconds(1);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(3);
  private static final String SCHEMA = "asyncflow";
  private static final int MOST_WORKERS = 2;

  private final Installation installation;
  private final Path directory;
  private final Supplier<ClaimedPort> portChoice;
  private final ChildJvm server;
  private final CompletableFuture<String> failure = new CompletableFuture<>();
  private final Deque<AutoCloseable> started = new ConcurrentLinkedDeque<>();
  // Only so that a second close returns no sooner than the first. Nothing that is being closed may
  // want it, or neither would end.
  private final Object closed = new Object();
  private volatile boolean closing;
  private int port;
  private DatabaseEndpoint database;
  private EmbeddedRedis redis;

  /**
   * Describes a stack; nothing runs yet.
   *
   * @param directory where all its data lives
   * @param portChoice where flowsvr will listen; asked when things start
   */
  LocalStack(Installation installation, Path directory, Supplier<ClaimedPort> portChoice) {
    this.installation = installation;
    this.directory = directory.toAbsolutePath().normalize();
    this.portChoice = portChoice;
    this.server = program("flowsvr", "flowsvr");
  }

  private ChildJvm program(String module, String name) {
    return new ChildJvm(
        module, directory.resolve(name), directory.resolve("logs").resolve(name + ".log"));
  }

  /** The example worker, once more for each. */
  private ChildJvm worker(int number) {
    return program("worker-example", number == 1 ? "worker" : "worker-" + number);
  }

  /** Where flowsvr listens; known once {@link #start} has returned. */
  URI url() {
    return URI.create("http://" + LoopbackPort.HOST + ":" + port);
  }

  Path logDirectory() {
    return server.log().getParent();
  }

  /** Completes with a sentence when a program has ended that cannot be kept running. */
  CompletableFuture<String> failure() {
    return failure;
  }

  /** What runs besides flowsvr, for people who want to look into it. */
  String engines() {
    return database.engine()
        + " at "
        + database.host()
        + ":"
        + database.port()
        + " (user "
        + database.user()
        + ", database "
        + SCHEMA
        + "), Redis at "
        + redis.url();
  }

  /**
   * Starts MariaDB, Redis and flowsvr, and returns when flowsvr is ready.
   *
   * @throws EngineException in one sentence, with what has started still to be closed
   */
  void start() {
    own(DirectoryLock.take(directory));
    for (int number = 1; number <= MOST_WORKERS; number++) {
      EngineProcess.stopOrphan(worker(number).directory());
    }
    EngineProcess.stopOrphan(server.directory());
    port = own(portChoice.get()).number();
    // The first start after a build has jars to unpack; the engines start meanwhile.
    CompletableFuture<Path> serverJar =
        OtherThread.begin("unpack-flowsvr", () -> server.prepare(installation));
    EmbeddedMariaDb mariaDb = own(EmbeddedMariaDb.start(directory.resolve("mariadb"), 0));
    database = mariaDb.endpoint();
    redis = own(EmbeddedRedis.start(directory.resolve("redis"), 0));
    keepRunning("MariaDB", logOf("mariadb"), mariaDb::process, mariaDb::restart);
    keepRunning("Redis", logOf("redis"), redis::process, redis::restart);
    EngineProcess process =
        run(
            server,
            OtherThread.resultOf(serverJar),
            Map.of(
                "FLOW_PORT", Integer.toString(port),
                "FLOW_STORE_DIR", directory.resolve("store").toString()));
    process.awaitReady(this::isReady, SERVER_PATIENCE);
  }

  /**
   * Starts example workers, each with two slots, and returns at once.
   *
   * @param count up to {@value #MOST_WORKERS}
   * @throws EngineException in one sentence
   */
  void startWorkers(int count) {
    Path jar = worker(1).prepare(installation);
    for (int number = 1; number <= count; number++) {
      ChildJvm worker = worker(number);
      FileTree.create(worker.directory());
      run(
          worker,
          jar,
          Map.of(
              "FLOW_URL", url().toString(),
              "ASYNCFLOW_WORKER_SLOTS_CPU", "2",
              "ASYNCFLOW_WORKER_SHUTDOWN_GRACE", WORKER_GRACE.toString(),
              "ASYNCFLOW_WORKER_SPOOL_DIR", directory.resolve("spool").toString()));
    }
  }

  private EngineProcess run(ChildJvm program, Path jar, Map<String, String> settings) {
    Map<String, String> environment = new HashMap<>(settings);
    environment.put("FLOW_MYSQL_URL", database.jdbcUrl(SCHEMA));
    environment.put("FLOW_MYSQL_USER", database.user());
    environment.put("FLOW_MYSQL_PASSWORD", database.password());
    environment.put("FLOW_REDIS_URL", redis.url());
    // With a key in its environment flowsvr would listen on every address.
    environment.put("FLOW_ADDRESS", LoopbackPort.HOST);
    environment.put("FLOW_EXIT_WITH_PARENT", "true");
    AtomicReference<EngineProcess> process =
        new AtomicReference<>(program.launch(jar, environment, installation));
    own(() -> process.get().stop(STOP_PATIENCE));
    keepRunning(
        program.module(),
        program.log(),
        process::get,
        () -> {
          process.get().stop(); // it is dead, but its watcher lives
          process.set(program.launch(jar, environment, installation));
        });
    return process.get();
  }

  private Path logOf(String engine) {
    return directory.resolve(engine).resolve("server.log");
  }

  private void keepRunning(
      String program, Path log, Supplier<EngineProcess> process, Runnable restart) {
    own(new Keeper(program, log, process, restart, () -> closing, this::fail));
  }

  private boolean isReady() {
    HttpRequest probe =
        HttpRequest.newBuilder(url().resolve("/actuator/health/readiness"))
            .timeout(PROBE_PATIENCE)
            .build();
    try {
      return HttpClient.newHttpClient()
              .send(probe, HttpResponse.BodyHandlers.discarding())
              .statusCode()
          == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new EngineException("Waiting for flowsvr was interrupted.", e);
    }
  }

  private void fail(String sentence) {
    if (!closing) {
      failure.complete(sentence);
    }
  }

  private <T extends AutoCloseable> T own(T part) {
    started.push(part);
    if (closing) {
      // Closed while this part was starting: it is stopped like those before it.
      close();
      throw new EngineException("Asyncflow was stopped while it was starting.");
    }
    return part;
  }

  @Override
  public void close() {
    closing = true;
    synchronized (closed) {
      for (AutoCloseable part = started.poll(); part != null; part = started.poll()) {
        try {
          part.close();
        } catch (Exception e) {
          System.err.println("asyncflow: " + e.getMessage());
        }
      }
    }
  }
}
