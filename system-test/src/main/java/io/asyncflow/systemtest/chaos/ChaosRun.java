package io.asyncflow.systemtest.chaos;

import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.JobState;
import io.asyncflow.systemtest.chaos.Disaster.Target;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.WorkerNode;
import io.asyncflow.systemtest.history.Audit;
import io.asyncflow.systemtest.invariant.Verdict;
import io.asyncflow.systemtest.scenario.FailoverFlowClient;
import io.asyncflow.systemtest.scenario.Onlooker;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.worker.Script;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A cluster under load to which bad things happen, and the judgement on what it did.
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

  /** No more are created while so many wait. */
  private static final int BACKLOG = 1_000;

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
   * @param disasters how often each thing has happened
   * @param elapsed from the first create to the end of the last task
   * @param jobs how many have ended how
   * @param position of the type's family at the end
   * @param directory of the logs and the history
   */
  public record Outcome(
      Verdict verdict,
      Map<Disaster, Integer> disasters,
      Duration elapsed,
      Map<JobState, Long> jobs,
      Audit.Position position,
      Path directory) {

    /** Whether every invariant held, and no work was repeated but what a fault met. */
    public boolean isClean() {
      return verdict.isClean() && verdict.executions().repeatedWithoutFault() == 0;
    }
  }

  /** Runs it from the start of the cluster to its end. */
  public Outcome run() {
    try (Cluster cluster = Cluster.start("chaos-" + plan.seed())) {
      List<ServerNode> servers = cluster.startServers(plan.servers());
      try (Scenario scenario = Scenario.of(cluster, "chaos", type)) {
        List<WorkerNode> workers =
            IntStream.range(0, plan.workers())
                .mapToObj(i -> scenario.launchWorker(servers.get(i % servers.size())))
                .toList();
        workers.forEach(WorkerNode::awaitReady);
        return strike(cluster, scenario, servers, workers);
      }
    }
  }

  private Outcome strike(
      Cluster cluster, Scenario scenario, List<ServerNode> servers, List<WorkerNode> workers) {
    Nemesis nemesis = new Nemesis(plan, scenario, victims(cluster, servers, workers), narrator);
    FlowClient client = FailoverFlowClient.of(servers.stream().map(scenario::client).toList());
    Onlooker onlooker = new Onlooker(scenario, client, plan.seed() + 2);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      final CompletableFuture<Void> breaking = CompletableFuture.runAsync(nemesis, threads);
      final CompletableFuture<Void> watching = CompletableFuture.runAsync(onlooker, threads);
      long start = System.nanoTime();
      createAll(scenario, client);
      nemesis.stop();
      breaking.join();
      scenario.healed();
      awaitDrained(scenario);
      Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
      onlooker.stop();
      watching.join();
      return new Outcome(
          scenario.verdict(drainWithin()),
          nemesis.done(),
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
        List.of(new Victim.OfRedis(cluster.redis())),
        Target.DATABASE,
        List.of(new Victim.OfDatabase(cluster.database(), workers)));
  }

  /** Workers are dealt to the servers one by one. */
  private static List<WorkerNode> workersOf(int server, int servers, List<WorkerNode> workers) {
    return IntStream.range(0, workers.size())
        .filter(i -> i % servers == server)
        .mapToObj(workers::get)
        .toList();
  }

  /** What is stuck is left for the verdict to name. */
  private void awaitDrained(Scenario scenario) {
    try {
      scenario.awaitDrained(drainWithin().multipliedBy(2));
    } catch (ConditionTimeoutException e) {
      narrator.accept(scenario.count("status IN (1, 2)") + " tasks do not end");
    }
  }

  /** What a healed cluster may still take: the bound of one task, and the backlog. */
  private Duration drainWithin() {
    int slowestTasksASecond = 20;
    return type.drainBound().plusSeconds((BACKLOG + PIECE) / slowestTasksASecond);
  }

  private void createAll(Scenario scenario, FlowClient client) {
    Random random = new Random(plan.seed() + 1);
    ChaosJobs jobs = new ChaosJobs(plan, scenario, client);
    long start = System.nanoTime();
    for (int created = 0; created < plan.tasks(); created += PIECE) {
      long due = start + (long) ((double) created / plan.tasks() * plan.load().toNanos());
      await("workers keep up")
          .atMost(PATIENCE)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(50))
          .ignoreExceptions() // the database may be down
          .until(() -> System.nanoTime() >= due && scenario.count("status IN (1, 2)") < BACKLOG);
      int piece = Math.min(PIECE, plan.tasks() - created);
      scenario.create(client, piece, i -> behaviour(random));
      jobs.keepUpWith(created + piece);
      if (tenths(created + piece) > tenths(created)) {
        narrator.accept(created + piece + " of " + plan.tasks() + " tasks are created");
      }
    }
  }

  private int tenths(int tasks) {
    return (int) (10L * tasks / plan.tasks());
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
