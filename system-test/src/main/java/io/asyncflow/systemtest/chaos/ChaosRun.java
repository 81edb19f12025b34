package io.asyncflow.systemtest.chaos;

import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.JobState;
import io.asyncflow.dev.embedded.DatabaseEndpoint;
import io.asyncflow.systemtest.chaos.Disaster.Target;
import io.asyncflow.systemtest.check.Verdict;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.GivenDatabase;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.WorkerNode;
import io.asyncflow.systemtest.history.Audit;
import io.asyncflow.systemtest.invariant.Invariant;
import io.asyncflow.systemtest.invariant.Violation;
import io.asyncflow.systemtest.scenario.FailoverFlowClient;
import io.asyncflow.systemtest.scenario.Onlooker;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.worker.Script;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A cluster under load to which bad things happen, and the judgement on what it did.
 *
 * <p>Most tasks are of a type with short times, so that a few minutes hold many lost leases. Beside
 * it some are of a type with the default times, and have a worker of their own: what the short ones
 * hide (a stop that is over before a lease is, a heartbeat that is rare) shows there.
 *
 * <p>Schedules of every policy fire beside them, for a worker of their own.
 *
 * <p>Tasks, and a few jobs, are created at an even pace, or as fast as they are worked off if that
 * is slower, so that there is work for as long as there are faults. When the last one has been
 * created the faults end, and everything must drain.
 */
public final class ChaosRun {

  /** Tasks in a call. */
  private static final int PIECE = 20;

  /** About that many tables does the type fill while all this happens. */
  private static final int TABLES = 20;

  /** For so many tasks there is one of the type with the defaults, unless too many of it wait. */
  private static final int TASKS_A_DEFAULT_TASK = 100;

  /** Of the worker of schedules, most of which sleep; eight fall behind for ever by some seeds. */
  private static final int THREADS_OF_SCHEDULES = 32;

  private static final String WAITING = "status IN (1, 2, 32)";
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final ChaosPlan plan;
  private final Consumer<String> narrator;
  private final TypePlan type;

  /**
   * @param narrator told of each fault when it begins, and of each tenth of the tasks when it is
   *     created
   */
  public ChaosRun(ChaosPlan plan, Consumer<String> narrator) {
    this.plan = plan;
    this.narrator = narrator;
    this.type = TypePlan.quick().withRollThreshold(plan.tasks() / TABLES + 100);
  }

  /**
   * What came of it.
   *
   * @param verdict on the tasks of the type with short times
   * @param verdictOnDefaults on those of the type with the default times
   * @param ofSchedules on the schedules
   * @param disasters how often each thing has happened
   * @param failures how many of them did not come about: the run proves less than it should
   * @param elapsed from the first create to the end of the last task
   * @param jobs how many have ended how
   * @param position of the type's family at the end
   * @param directory of the logs and the history
   */
  public record Outcome(
      Verdict verdict,
      Verdict verdictOnDefaults,
      ChaosSchedules.Findings ofSchedules,
      Map<Disaster, Integer> disasters,
      int failures,
      Duration elapsed,
      Map<JobState, Long> jobs,
      Audit.Position position,
      Path directory) {

    /** Whether every invariant held, and no work was repeated but what a fault met. */
    public boolean isClean() {
      return isClean(verdict) && isClean(verdictOnDefaults) && violationsOfSchedules().isEmpty();
    }

    /** What is wrong with the schedules. */
    public List<Violation> violationsOfSchedules() {
      return ofSchedules.violations();
    }

    /** How many fires the schedules had. */
    public long fires() {
      return ofSchedules.fires();
    }

    /** How often an invariant was violated, by tasks of either type or by schedules. */
    long count(Invariant invariant) {
      return verdict.count(invariant)
          + verdictOnDefaults.count(invariant)
          + ofSchedules.count(invariant);
    }

    private static boolean isClean(Verdict verdict) {
      return verdict.isClean() && verdict.executions().repeatedWithoutFault() == 0;
    }
  }

  /** Breaks things while tasks are created, until it has broken enough. */
  public interface Breaker extends Runnable {

    /** Nothing more is to be broken, for no more tasks are created. */
    default void stop() {}

    /** How often each thing has happened; to be read after the end of {@link #run}. */
    default Map<Disaster, Integer> done() {
      return Map.of();
    }

    /** How many of these did not come about; to be read after the end of {@link #run}. */
    default int failures() {
      return 0;
    }
  }

  /** Runs it from the start of the cluster to its end. */
  public Outcome run() {
    try (Cluster cluster = Cluster.start("chaos-" + plan.seed())) {
      return run(
          cluster,
          workers -> Map.of(Target.DATABASE, Victim.OfStore.of(cluster.database(), workers)));
    }
  }

  /**
   * The same on a database of the user's, in a schema of its own, which is dropped at the end.
   *
   * @param killNode a shell command that kills a node of it and brings it back; {@code null} for
   *     none
   */
  public Outcome run(DatabaseEndpoint endpoint, String killNode) {
    String schema = "asyncflow_chaos_" + ProcessHandle.current().pid();
    GivenDatabase database = new GivenDatabase(endpoint, schema);
    try (Cluster cluster = Cluster.on(database, "chaos-" + plan.seed())) {
      return run(
          cluster,
          workers ->
              killNode == null
                  ? Map.of()
                  : Map.of(
                      Target.NODE,
                      new NodeKill(
                          killNode,
                          cluster.directory().resolve("logs").resolve("kill-node.log"),
                          Victim.withClients(workers),
                          database::takesWrites,
                          narrator)));
    } finally {
      try {
        endpoint.drop(schema);
      } catch (SQLException e) {
        narrator.accept("the schema " + schema + " is still there: " + e.getMessage());
      }
    }
  }

  /**
   * Runs it on a cluster without servers.
   *
   * @param ofDatabase what can be hurt of the database
   */
  private Outcome run(Cluster cluster, Function<List<WorkerNode>, Map<Target, Victim>> ofDatabase) {
    List<ServerNode> servers = cluster.startServers(plan.servers());
    return run(
        cluster,
        "chaos",
        (all, workers) -> {
          List<Scenario> scenarios = all.subList(0, 2);
          Map<Target, List<Victim>> victims = new EnumMap<>(Target.class);
          victims.putAll(victims(cluster, servers, workers));
          victims.put(
              Target.SETTINGS, List.of(new Victim.OfSettings(scenarios, unrecorded(servers))));
          ofDatabase.apply(workers).forEach((kind, one) -> victims.put(kind, List.of(one)));
          return new Nemesis(plan, scenarios, victims, narrator);
        });
  }

  private static FlowClient unrecorded(List<ServerNode> servers) {
    return FailoverFlowClient.of(servers.stream().<FlowClient>map(ServerNode::client).toList());
  }

  /**
   * Runs it on a cluster whose servers have been started. The load ends with the breaker, at the
   * latest.
   *
   * @param type of most tasks; the names of the others begin with it
   * @param breaker of the scenarios of tasks with short and with default times and of schedules,
   *     and of their workers
   */
  public Outcome run(
      Cluster cluster, String type, BiFunction<List<Scenario>, List<WorkerNode>, Breaker> breaker) {
    List<ServerNode> servers = cluster.servers();
    try (Scenario scenario = Scenario.of(cluster, type, this.type);
        Scenario leisurely = Scenario.of(cluster, type + "_leisure", TypePlan.ofDefaults());
        Scenario ticking = Scenario.of(cluster, type + "_ticks", TypePlan.quick())) {
      List<WorkerNode> workers =
          IntStream.range(0, plan.workers() + (plan.schedules() > 0 ? 2 : 1))
              .mapToObj(
                  i ->
                      i <= plan.workers()
                          ? (i < plan.workers() ? scenario : leisurely)
                              .launchWorker(servers.get(i % servers.size()))
                          : ticking.launchWorker(
                              servers.get(i % servers.size()),
                              worker -> worker.withRoom(THREADS_OF_SCHEDULES, 16)))
              .toList();
      workers.forEach(WorkerNode::awaitReady);
      return strike(
          cluster,
          scenario,
          leisurely,
          ticking,
          breaker.apply(List.of(scenario, leisurely, ticking), workers));
    }
  }

  private Outcome strike(
      Cluster cluster, Scenario scenario, Scenario leisurely, Scenario ticking, Breaker breaker) {
    List<ServerNode> servers = cluster.servers();
    List<Scenario> scenarios = List.of(scenario, leisurely);
    FlowClient client = FailoverFlowClient.of(servers.stream().map(scenario::client).toList());
    ChaosSchedules schedules = new ChaosSchedules(plan, ticking, cluster, unrecorded(servers));
    schedules.create();
    Onlooker onlooker = new Onlooker(scenario, client, plan.seed() + 2);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      final CompletableFuture<Void> breaking = CompletableFuture.runAsync(breaker, threads);
      final CompletableFuture<Void> watching = CompletableFuture.runAsync(onlooker, threads);
      long start = System.nanoTime();
      try {
        createAll(
            scenario,
            client,
            leisurely,
            FailoverFlowClient.of(servers.stream().map(leisurely::client).toList()),
            breaking::isDone);
      } finally {
        breaker.stop();
        breaking.join(); // what it broke is well again, whatever comes
      }
      scenarios.forEach(Scenario::healed);
      awaitDrained(scenario, Backlog.SHORT);
      awaitDrained(leisurely, Backlog.LEISURELY);
      final Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
      onlooker.stop();
      watching.join();
      final ChaosSchedules.Findings ofSchedules = schedules.findings();
      return new Outcome(
          scenario.verdict(Backlog.SHORT.drainWithin(scenario.plan())),
          leisurely.verdict(Backlog.LEISURELY.drainWithin(leisurely.plan())),
          ofSchedules,
          breaker.done(),
          breaker.failures(),
          elapsed,
          scenario.jobs().stream()
              .collect(
                  Collectors.groupingBy(Audit.Job::state, TreeMap::new, Collectors.counting())),
          scenario.position(),
          cluster.directory());
    } finally {
      threads.shutdownNow();
    }
  }

  private static Map<Target, List<Victim>> victims(
      Cluster cluster, List<ServerNode> servers, List<WorkerNode> workers) {
    return Map.of(
        Target.WORKER,
        workers.stream().<Victim>map(Victim.OfWorker::new).toList(),
        Target.SERVER,
        IntStream.range(0, servers.size())
            .<Victim>mapToObj(
                i -> new Victim.OfServer(servers.get(i), workersOf(i, servers.size(), workers)))
            .toList(),
        Target.REDIS,
        List.of(Victim.OfStore.of(cluster.redis())));
  }

  /** Workers are dealt to the servers one by one. */
  private static List<WorkerNode> workersOf(int server, int servers, List<WorkerNode> workers) {
    return IntStream.range(0, workers.size())
        .filter(i -> i % servers == server)
        .mapToObj(workers::get)
        .toList();
  }

  /** What is stuck is left for the verdict to name. */
  private void awaitDrained(Scenario scenario, Backlog backlog) {
    try {
      scenario.awaitDrained(backlog.drainWithin(scenario.plan()).multipliedBy(2));
    } catch (ConditionTimeoutException e) {
      narrator.accept(scenario.count(WAITING) + " tasks do not end");
    }
  }

  private void createAll(
      Scenario scenario,
      FlowClient client,
      Scenario leisurely,
      FlowClient clientOfLeisurely,
      BooleanSupplier isEnough) {
    Random random = new Random(plan.seed() + 1);
    Random randomOfLeisurely = new Random(plan.seed() + 4);
    ChaosJobs jobs = new ChaosJobs(plan, scenario, client);
    long start = System.nanoTime();
    for (int created = 0; created < plan.tasks() && !isEnough.getAsBoolean(); created += PIECE) {
      long due = start + (long) ((double) created / plan.tasks() * plan.load().toNanos());
      await("workers keep up")
          .atMost(PATIENCE)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(50))
          .ignoreExceptions() // the database may be down
          .until(
              () ->
                  System.nanoTime() >= due
                      && Backlog.SHORT.hasRoomFor(PIECE, scenario.count(WAITING)));
      int piece = Math.min(PIECE, plan.tasks() - created);
      scenario.create(client, piece, i -> behaviour(random));
      jobs.keepUpWith(created + piece);
      if (created % TASKS_A_DEFAULT_TASK == 0 && hasRoomForOne(leisurely)) {
        leisurely.create(clientOfLeisurely, 1, i -> leisurelyBehaviour(randomOfLeisurely));
      }
      if (tenths(created + piece) > tenths(created)) {
        narrator.accept(created + piece + " of " + plan.tasks() + " tasks are created");
      }
    }
  }

  private static boolean hasRoomForOne(Scenario leisurely) {
    try {
      return Backlog.LEISURELY.hasRoomFor(1, leisurely.count(WAITING));
    } catch (IllegalStateException e) {
      return false; // the database may be down
    }
  }

  private int tenths(int tasks) {
    return (int) (10L * tasks / plan.tasks());
  }

  /** Longer than any other stage, and than the lease that its type may have for a while. */
  private static Script leisurelyBehaviour(Random random) {
    String stage = Script.STAGES.get(random.nextInt(Script.STAGES.size()));
    return Script.smooth().with(stage, "SLEEP " + (5_000 + random.nextInt(5_000)));
  }

  /** Most tasks are well; some are slow, fail once, or put off their work. */
  private static Script behaviour(Random random) {
    String stage = Script.STAGES.get(random.nextInt(Script.STAGES.size()));
    int percent = random.nextInt(100);
    if (percent < 60) {
      return Script.smooth().with(stage, "SLEEP " + random.nextInt(50));
    } else if (percent < 75) {
      return Script.smooth().with(stage, "SLEEP " + random.nextInt(1_000));
    } else if (percent < 80) {
      return Script.smooth().with(stage, "ERROR", "OK");
    } else if (percent < 85) {
      return Script.smooth().with(stage, "SNOOZE " + random.nextInt(2_000), "OK");
    }
    return Script.smooth();
  }
}
