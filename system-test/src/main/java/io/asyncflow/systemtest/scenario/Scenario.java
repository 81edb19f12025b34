package io.asyncflow.systemtest.scenario;

import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.NewTask;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.WorkerNode;
import io.asyncflow.systemtest.history.Act;
import io.asyncflow.systemtest.history.Audit;
import io.asyncflow.systemtest.history.Event;
import io.asyncflow.systemtest.history.History;
import io.asyncflow.systemtest.history.Phase;
import io.asyncflow.systemtest.history.Recorder;
import io.asyncflow.systemtest.history.RecordingFlowClient;
import io.asyncflow.systemtest.invariant.HistoryChecker;
import io.asyncflow.systemtest.invariant.Verdict;
import io.asyncflow.systemtest.worker.Script;
import io.asyncflow.systemtest.worker.WorkerPlan;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * One task type on a cluster, the workers that serve it, and the history of all that is done to it.
 *
 * <p>Thread-safe.
 */
public final class Scenario implements AutoCloseable {

  private static final int TASKS_A_CALL = 500;
  private static final Duration NEXT_TRY = Duration.ofMillis(100);

  private final Cluster cluster;
  private final String taskType;
  private final TypePlan plan;
  private final Path directory;
  private final Recorder recorder;
  private final List<WorkerNode> workers = new ArrayList<>();
  private int created;

  private Scenario(Cluster cluster, String taskType, TypePlan plan) {
    this.cluster = cluster;
    this.taskType = taskType;
    this.plan = plan;
    this.directory = cluster.directory().resolve("history-" + taskType);
    this.recorder = Recorder.open(directory, "clients");
  }

  /** Configures the type at the first server. */
  public static Scenario of(Cluster cluster, String taskType, TypePlan plan) {
    cluster.servers().get(0).client().saveTaskType(plan.settings(taskType));
    return new Scenario(cluster, taskType, plan);
  }

  public String taskType() {
    return taskType;
  }

  public TypePlan plan() {
    return plan;
  }

  /** A client of a server whose calls become part of the history. */
  public FlowClient client(ServerNode server) {
    return new RecordingFlowClient(server.client(), recorder);
  }

  /** The same, as an old friend that is asked through somebody else. */
  public FlowClient recorded(FlowClient client) {
    return new RecordingFlowClient(client, recorder);
  }

  /** A task that begins with stage a, and a key of its own. */
  public synchronized NewTask newTask(Script script) {
    String key = taskType + "-" + ++created;
    return NewTask.of(taskType, Script.STAGES.get(0), key, script.json()).withIdempotencyKey(key);
  }

  /** Creates tasks that all behave alike. */
  public List<String> create(FlowClient client, int count, Script script) {
    return create(client, count, i -> script);
  }

  /** Creates tasks in calls of 500 and repeats each call until it is acknowledged. */
  public List<String> create(FlowClient client, int count, IntFunction<Script> script) {
    List<NewTask> tasks =
        IntStream.range(0, count).mapToObj(i -> newTask(script.apply(i))).toList();
    List<String> taskIds = new ArrayList<>(count);
    for (int from = 0; from < count; from += TASKS_A_CALL) {
      List<NewTask> part = tasks.subList(from, Math.min(from + TASKS_A_CALL, count));
      taskIds.addAll(untilAcknowledged(client, part));
    }
    return taskIds;
  }

  /** Creates tasks in a call each and repeats each call until it is acknowledged. */
  public List<String> createOneByOne(FlowClient client, int count, Script script) {
    return IntStream.range(0, count)
        .mapToObj(i -> untilAcknowledged(client, List.of(newTask(script))).get(0))
        .toList();
  }

  private static List<String> untilAcknowledged(FlowClient client, List<NewTask> tasks) {
    List<String> taskIds = new ArrayList<>();
    await("creates are acknowledged")
        .atMost(Duration.ofMinutes(5))
        .pollDelay(Duration.ZERO)
        .pollInterval(NEXT_TRY)
        .until(
            () -> {
              try {
                return taskIds.addAll(client.createTasks(tasks));
              } catch (FlowException e) {
                if (e.retryable()) {
                  return false;
                }
                throw e;
              }
            });
    return taskIds;
  }

  /** Starts a worker at a server and returns when it polls. */
  public WorkerNode startWorker(ServerNode server) {
    return startWorker(server, worker -> worker);
  }

  /** Starts a worker, changed as wanted, and returns when it polls. */
  public WorkerNode startWorker(ServerNode server, UnaryOperator<WorkerPlan> change) {
    WorkerNode worker = launchWorker(server, change);
    worker.awaitReady();
    return worker;
  }

  /** Starts a worker, which does not poll yet. */
  public synchronized WorkerNode launchWorker(ServerNode server, UnaryOperator<WorkerPlan> change) {
    WorkerPlan worker =
        new WorkerPlan(
            taskType + "-worker-" + (workers.size() + 1),
            server.url().toString(),
            cluster.redisUrl(),
            taskType,
            8,
            8,
            Duration.ofSeconds(20).toMillis(),
            directory.toString());
    WorkerNode node = cluster.launchWorker(change.apply(worker));
    workers.add(node);
    return node;
  }

  /** Does something bad to the cluster, and says so in the history. */
  public void fault(String what, Runnable harm) {
    long call = recorder.newCall();
    recorder.record(call, Event.draft(Act.FAULT, Phase.INVOKE).outcome(what));
    try {
      harm.run();
    } finally {
      recorder.record(call, Event.draft(Act.FAULT, Phase.OK).outcome(what));
    }
  }

  /** From here on nothing is broken, so all must drain in time. */
  public void healed() {
    recorder.record(recorder.newCall(), Event.draft(Act.HEALED, Phase.OK));
  }

  /** Waits until every task is final. */
  public void awaitDrained(Duration patience) {
    await("all tasks of " + taskType + " are final")
        .atMost(patience)
        .pollInterval(Duration.ofMillis(200))
        .until(() -> count("status IN (1, 2)") == 0);
  }

  /** How many tasks of the type's first table meet a condition. */
  public int count(String condition) {
    String sql = "SELECT COUNT(*) FROM t_" + taskType + "_task_1 WHERE " + condition;
    try (Connection connection = cluster.connect();
        PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet rows = statement.executeQuery()) {
      rows.next();
      return rows.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** What has been recorded so far. */
  public History history() {
    return History.read(directory);
  }

  /** Holds the history and the rows to the invariants. */
  public Verdict verdict() {
    try (Connection connection = cluster.connect()) {
      Audit audit = Audit.read(connection, taskType);
      return new HistoryChecker(plan.rules(plan.drainBound())).check(history(), audit);
    } catch (SQLException e) {
      throw new IllegalStateException("the rows of " + taskType + " cannot be read", e);
    }
  }

  /** Ends the workers. The history stays. */
  @Override
  public synchronized void close() {
    workers.forEach(WorkerNode::kill);
    recorder.close();
  }
}
