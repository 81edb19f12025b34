package io.asyncflow.dev.stack;

import io.asyncflow.api.Answer;
import io.asyncflow.api.Call;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.Transport;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.dev.embedded.EmbeddedMariaDb;
import io.asyncflow.dev.embedded.EmbeddedRedis;
import io.asyncflow.dev.environment.ApiKey;
import io.asyncflow.dev.environment.Installation;
import io.asyncflow.dev.host.DirectoryLock;
import io.asyncflow.dev.host.LoopbackPort;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.dev.host.OwnerOnly;
import io.asyncflow.dev.process.ChildProcess;
import io.asyncflow.dev.process.EarlyEndException;
import io.asyncflow.dev.process.Keeper;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The whole of Asyncflow on one machine: MariaDB and Redis, flowsvr, and the example workers, each
 * a child process, all on loopback and in one directory.
 *
 * <p>{@link #start} belongs to one thread; any thread may call {@link #close} at any time, even
 * during the start; it stops the started programs in reverse order.
 */
public final class LocalStack implements AutoCloseable {
  private static final Duration SERVER_PATIENCE = Duration.ofMinutes(5);
  private static final Duration WORKER_PATIENCE = Duration.ofMinutes(5);
  private static final Duration POLL = Duration.ofMillis(100);
  // Short, because a developer waits at the terminal; interrupted runs are repeated after the next
  // start.
  private static final Duration WORKER_GRACE = Duration.ofSeconds(2);
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(4);
  private static final String SCHEMA = "asyncflow";
  // The exit code of flowsvr if its tables were made from another baseline of the schema.
  private static final int OTHER_BASELINE = 65;
  private static final int MOST_WORKERS = 2;
  private static final List<String> TLS_VARIABLES =
      List.of("FLOW_TLS_CERT", "FLOW_TLS_KEY", "FLOW_TLS_CLIENTS", "FLOW_TLS_CLIENT_CA", "FLOW_CA");

  private static final Call<List<StartedWorker>> WORKERS =
      Call.to("/api/worker/list", Answer.of(StartedWorkers.class, StartedWorkers::workerList));

  private record StartedWorkers(List<StartedWorker> workerList) {}

  private record StartedWorker(long firstBeat) {}

  private final Installation installation;
  private final Path directory;
  private final ApiKey key;
  private final Supplier<ClaimedPort> portChoice;
  private final StartDisplay display;
  private final ChildJvm server;
  private final CompletableFuture<String> failure = new CompletableFuture<>();
  private final Deque<AutoCloseable> started = new ConcurrentLinkedDeque<>();
  // Makes a second close wait for the first. Code that is being closed must not lock it, or both
  // would deadlock.
  private final Object closed = new Object();
  private volatile boolean closing;
  private int port;
  private EmbeddedMariaDb mariaDb;
  private EmbeddedRedis redis;
  private long workersLaunchedAt;

  /**
   * Describes a stack; nothing runs yet.
   *
   * @param directory the directory of all data
   * @param key the key, which flowsvr inherits from the environment
   * @param portChoice supplies the port of flowsvr when the start begins
   * @param display shows each step
   */
  public LocalStack(
      Installation installation,
      Path directory,
      ApiKey key,
      Supplier<ClaimedPort> portChoice,
      StartDisplay display) {
    this.installation = installation;
    this.directory = directory.toAbsolutePath().normalize();
    this.key = key;
    this.portChoice = portChoice;
    this.display = display;
    this.server = program("flowsvr", "flowsvr");
  }

  private ChildJvm program(String module, String name) {
    return new ChildJvm(
        module, directory.resolve(name), directory.resolve("logs").resolve(name + ".log"));
  }

  /** The example worker with this number. */
  private ChildJvm worker(int number) {
    return program("worker-example", number == 1 ? "worker" : "worker-" + number);
  }

  /** The URL of flowsvr; known once {@link #start} has returned. */
  public URI url() {
    return URI.create("http://" + LoopbackPort.HOST + ":" + port);
  }

  /** Where operators see what goes on; as {@link #url()}. */
  public URI console() {
    return url().resolve("/console");
  }

  public Path logDirectory() {
    return server.log().getParent();
  }

  /** Completes with a sentence when a program cannot be kept running. */
  public CompletableFuture<String> failure() {
    return failure;
  }

  /** The other services, described for users who want to connect to them; without passwords. */
  public List<String> services() {
    DatabaseEndpoint database = mariaDb.endpoint();
    return List.of(
        database + "; mysql --defaults-file=\"" + mariaDb.secrets() + "\" " + SCHEMA,
        "Redis at "
            + LoopbackPort.HOST
            + ":"
            + redis.port()
            + "; its password is in "
            + redis.secrets());
  }

  /**
   * Starts MariaDB, Redis and flowsvr, and returns when flowsvr is ready. Data of another baseline
   * is {@linkplain OldData moved aside}.
   *
   * @throws DevException in one sentence; the caller must still close the stack
   */
  public void start() {
    own(DirectoryLock.take(directory));
    try {
      startPrograms();
    } catch (EarlyEndException e) {
      if (e.exitCode() != OTHER_BASELINE) {
        throw e;
      }
      moveDataAside();
      own(DirectoryLock.take(directory));
      startPrograms();
    }
  }

  private void moveDataAside() {
    synchronized (closed) {
      stopAllBut(1); // the lock: only its owner may move the directory
      if (closing) {
        return; // the next program to start reports it
      }
      Path aside = OldData.moveAside(directory, LocalDate.now(ZoneOffset.UTC));
      display.say(
          "The data in "
              + directory
              + " was made from another baseline of the schema, which this version cannot upgrade:"
              + " it is in "
              + aside
              + " now, and Asyncflow starts anew.");
      stopAllBut(0);
    }
  }

  private void startPrograms() {
    for (int number = 1; number <= MOST_WORKERS; number++) {
      ChildProcess.stopOrphan(worker(number).directory());
    }
    ChildProcess.stopOrphan(server.directory());
    port = own(portChoice.get()).number();
    // The first start after a build has jars to unpack; the database and Redis start meanwhile.
    CompletableFuture<Path> serverJar =
        OtherThread.begin("unpack-flowsvr", () -> server.prepare(installation));
    OwnerOnly.directory(directory.resolve("store"));
    mariaDb = own(EmbeddedMariaDb.start(directory.resolve("mariadb"), 0));
    redis = own(EmbeddedRedis.start(directory.resolve("redis"), 0));
    keepRunning("MariaDB", logOf("mariadb"), mariaDb::process, mariaDb::restart);
    keepRunning("Redis", logOf("redis"), redis::process, redis::restart);
    display.done("MariaDB and Redis run");
    DatabaseEndpoint database = mariaDb.endpoint();
    ServerProbe probe = new ServerProbe(url());
    run(
        server,
        OtherThread.resultOf(serverJar),
        Map.of(
            "FLOW_PORT", Integer.toString(port),
            "FLOW_STORE_DIR", directory.resolve("store").toString(),
            "FLOW_MYSQL_URL", database.jdbcUrl(SCHEMA),
            "FLOW_MYSQL_USER", database.user(),
            "FLOW_MYSQL_PASSWORD", database.password()),
        process ->
            process.awaitReady(
                display.awaiting("flowsvr", server.log(), probe::isReady), SERVER_PATIENCE));
    display.done("flowsvr answers");
  }

  /**
   * Starts example workers, each with two slots, and returns at once.
   *
   * @param count up to {@value #MOST_WORKERS}
   * @throws DevException in one sentence
   */
  public void startWorkers(int count) {
    Path jar = worker(1).prepare(installation);
    workersLaunchedAt = System.currentTimeMillis();
    for (int number = 1; number <= count; number++) {
      ChildJvm worker = worker(number);
      OwnerOnly.directory(worker.directory());
      run(
          worker,
          jar,
          Map.of(
              "FLOW_URL", url().toString(),
              "ASYNCFLOW_WORKER_SLOTS_CPU", "2",
              "ASYNCFLOW_WORKER_SHUTDOWN_GRACE", WORKER_GRACE.toString(),
              "ASYNCFLOW_WORKER_SPOOL_DIR", directory.resolve("spool").toString()),
          process -> {});
    }
  }

  /**
   * Returns when this number of workers ask for tasks.
   *
   * @throws DevException in one sentence if a worker cannot be kept running, or none asks for tasks
   *     in time
   */
  public void awaitWorkers(int count) {
    Path log = worker(1).log();
    Transport server = new HttpFlowClient(url(), key.text()).transport();
    BooleanSupplier come = display.awaiting("the worker", log, () -> haveCome(server, count));
    long deadline = System.nanoTime() + WORKER_PATIENCE.toNanos();
    while (!come.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new DevException(
            "No worker asks for tasks after "
                + WORKER_PATIENCE.toSeconds()
                + " s; its log is "
                + log
                + ".");
      }
      throwIfFailedWithin(POLL);
    }
    display.done(count == 1 ? "the worker asks for tasks" : "the workers ask for tasks");
  }

  /** Whether so many workers have begun since they were launched; no, if the server is away. */
  private boolean haveCome(Transport server, int count) {
    try {
      return server.send(WORKERS).stream()
              .filter(worker -> worker.firstBeat() >= workersLaunchedAt)
              .count()
          >= count;
    } catch (FlowException e) {
      return false;
    }
  }

  /**
   * @param awaitStart returns when the program has started, or throws; a program that never started
   *     is not restarted
   */
  private void run(
      ChildJvm program, Path jar, Map<String, String> settings, Consumer<ChildProcess> awaitStart) {
    Map<String, String> environment = new HashMap<>(settings);
    environment.putAll(key.forChild());
    environment.put("FLOW_REDIS_URL", redis.url());
    // With a key in its environment flowsvr would listen on every address.
    environment.put("FLOW_ADDRESS", LoopbackPort.HOST);
    // On loopback the programs talk without TLS, whatever this JVM's environment says.
    TLS_VARIABLES.forEach(variable -> environment.put(variable, ""));
    environment.put("FLOW_EXIT_WITH_PARENT", "true");
    AtomicReference<ChildProcess> process =
        new AtomicReference<>(program.launch(jar, environment, installation));
    own(() -> process.get().stop(STOP_PATIENCE));
    awaitStart.accept(process.get());
    keepRunning(
        program.module(),
        program.log(),
        process::get,
        () -> {
          process.get().stop(); // it is dead, but its watcher lives
          process.set(program.launch(jar, environment, installation));
        });
  }

  private Path logOf(String service) {
    return directory.resolve(service).resolve("server.log");
  }

  private void keepRunning(
      String program, Path log, Supplier<ChildProcess> process, Runnable restart) {
    own(new Keeper(program, log, process, restart, () -> closing, this::fail));
  }

  private void throwIfFailedWithin(Duration pause) {
    try {
      throw new DevException(failure.get(pause.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      // Still running.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DevException("Waiting for the worker was interrupted.", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
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
      // Closed while this part was starting: stop it, too.
      close();
      throw new DevException("Asyncflow was stopped while it was starting.");
    }
    return part;
  }

  @Override
  public void close() {
    closing = true;
    stopAllBut(0);
  }

  /** Stops the parts in the reverse order of their start. */
  private void stopAllBut(int first) {
    synchronized (closed) {
      while (started.size() > first) {
        try {
          started.pop().close();
        } catch (Exception e) {
          System.err.println("asyncflow: " + e.getMessage());
        }
      }
    }
  }
}
