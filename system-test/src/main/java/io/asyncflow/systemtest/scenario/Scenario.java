package io.asyncflow.systemtest.scenario;

import static java.util.stream.Collectors.joining;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.systemtest.check.HistoryChecker;
import io.asyncflow.systemtest.check.Verdict;
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
import io.asyncflow.systemtest.worker.JobScript;
import io.asyncflow.systemtest.worker.Script;
import io.asyncflow.systemtest.worker.WorkerPlan;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * One task type on a cluster, the workers that serve it, and the history of all that is done to it.
 *
 * <p>Thread-safe.
 */
public final class Scenario implements AutoCloseable {

  /** The process, in the history, of every client that is no worker. */
  public static final String CLIENTS = "clients";

  private static final String COUNT = "SELECT COUNT(*) AS n FROM t_%s_task_%s WHERE %s";
  private static final int TASKS_A_CALL = 500;
  private static final Duration NEXT_TRY = Duration.ofMillis(100);

  private final Cluster cluster;
  private final String taskType;
  private final TypePlan plan;
  private final Path directory;
  private final Recorder recorder;
  private final List<WorkerNode> workers = new ArrayList<>();
  private final List<String> acknowledged = new ArrayList<>();
  private int created;
  private int createdJobs;

  private Scenario(Cluster cluster, String taskType, TypePlan plan) {
    this.cluster = cluster;
    this.taskType = taskType;
    this.plan = plan;
    this.directory = cluster.directory().resolve("history-" + taskType);
    this.recorder = Recorder.open(directory, CLIENTS);
  }

  /** Configures the type at the first server, and has its first table made. */
  public static Scenario of(Cluster cluster, String taskType, TypePlan plan) {
    FlowClient client = cluster.servers().get(0).client();
    client.saveTaskType(plan.settings(taskType));
    client.holdTasks(new HoldRequest(taskType, 1, "first", 0, null, null));
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

  /** The same for a client of any kind. */
  public FlowClient recorded(FlowClient client) {
    return new RecordingFlowClient(client, recorder);
  }

  /** A task that begins with stage a, and a key of its own. */
  public NewTask newTask(Script script) {
    return newTask(script, Script.STAGES.get(0));
  }

  /** The same beginning with another stage: with c it has only one. */
  public synchronized NewTask newTask(Script script, String stage) {
    String key = taskType + "-" + ++created;
    return NewTask.of(taskType, stage, key, script.json()).withIdempotencyKey(key);
  }

  /** Creates tasks that all behave alike. */
  public List<String> create(FlowClient client, int count, Script script) {
    return create(client, count, i -> script);
  }

  /** Creates tasks in calls of 500 and repeats each call until it is acknowledged. */
  public List<String> create(FlowClient client, int count, IntFunction<Script> script) {
    return create(
        client, IntStream.range(0, count).mapToObj(i -> newTask(script.apply(i))).toList());
  }

  /** The same with tasks that are made already. */
  public List<String> create(FlowClient client, List<NewTask> tasks) {
    List<String> taskIds = new ArrayList<>(tasks.size());
    for (int from = 0; from < tasks.size(); from += TASKS_A_CALL) {
      List<NewTask> part = tasks.subList(from, Math.min(from + TASKS_A_CALL, tasks.size()));
      taskIds.addAll(untilAcknowledged(() -> client.createTasks(part)));
    }
    synchronized (this) {
      acknowledged.addAll(taskIds);
    }
    return taskIds;
  }

  /** Creates tasks in a call each and repeats each call until it is acknowledged. */
  public List<String> createOneByOne(FlowClient client, int count, Script script) {
    return IntStream.range(0, count)
        .mapToObj(i -> List.of(newTask(script)))
        .map(task -> untilAcknowledged(() -> client.createTasks(task)).get(0))
        .toList();
  }

  private static <T> T untilAcknowledged(Supplier<T> call) {
    AtomicReference<T> answer = new AtomicReference<>();
    await("creates are acknowledged")
        .atMost(Duration.ofMinutes(5))
        .pollDelay(Duration.ZERO)
        .pollInterval(NEXT_TRY)
        .until(
            () -> {
              try {
                answer.set(call.get());
                return true;
              } catch (FlowException e) {
                if (e.retryable()) {
                  return false;
                }
                throw e;
              }
            });
    return answer.get();
  }

  /** Creates a job, and repeats the call until it is acknowledged. */
  public String createJob(FlowClient client, JobScript script, FailurePolicy policy) {
    NewJob job;
    synchronized (this) {
      String key = taskType + "-job-" + ++createdJobs;
      job = NewJob.of(taskType, key, script.json()).withIdempotencyKey(key);
    }
    NewJob wanted = job.withFailurePolicy(policy);
    return untilAcknowledged(() -> client.jobs().createJob(wanted));
  }

  /**
   * Gives the type other settings while its tasks run, and repeats the call until it is
   * acknowledged.
   */
  public void changeSettings(FlowClient client) {
    save(client, plan.otherSettings(taskType));
  }

  /** Gives the type its settings again. */
  public void restoreSettings(FlowClient client) {
    save(client, plan.settings(taskType));
  }

  private static void save(FlowClient client, TaskTypeSettings settings) {
    untilAcknowledged(
        () -> {
          client.saveTaskType(settings);
          return true;
        });
  }

  /** Starts a worker at a server and returns when it polls. */
  public WorkerNode startWorker(ServerNode server) {
    return startWorker(server, worker -> {});
  }

  /** Starts a worker, changed as wanted, and returns when it polls. */
  public WorkerNode startWorker(ServerNode server, Consumer<WorkerPlan.Builder> change) {
    WorkerNode worker = launchWorker(server, change);
    worker.awaitReady();
    return worker;
  }

  /** Starts a worker, which does not poll yet. */
  public WorkerNode launchWorker(ServerNode server) {
    return launchWorker(server, worker -> {});
  }

  /** Starts a worker, changed as wanted, which does not poll yet. */
  public synchronized WorkerNode launchWorker(
      ServerNode server, Consumer<WorkerPlan.Builder> change) {
    String name = taskType + "-worker-" + (workers.size() + 1);
    WorkerPlan.Builder plan =
        WorkerPlan.of(name, taskType, directory.toString())
            .at(server.url().toString())
            .withRedis(cluster.redisUrl());
    change.accept(plan);
    WorkerNode node = cluster.launchWorker(plan.build());
    workers.add(node);
    return node;
  }

  /** Does something bad to the cluster, and says so in the history. */
  public void fault(String what, Runnable harm) {
    fault(what, (String) null, harm);
  }

  /**
   * The same where not everybody may suffer from it.
   *
   * @param sufferers processes whose calls may fail; of a name with its hyphen at the end, all of
   *     that name
   */
  public void fault(String what, Collection<String> sufferers, Runnable harm) {
    fault(what, String.join(",", sufferers), harm);
  }

  private void fault(String what, String sufferers, Runnable harm) {
    long call = recorder.newCall();
    recorder.record(call, Event.draft(Act.FAULT, Phase.INVOKE).outcome(what).worker(sufferers));
    try {
      harm.run();
    } finally {
      recorder.record(call, Event.draft(Act.FAULT, Phase.OK).outcome(what).worker(sufferers));
    }
  }

  /** From here on nothing is broken, so all must drain in time. */
  public void healed() {
    recorder.record(recorder.newCall(), Event.draft(Act.HEALED, Phase.OK));
  }

  /** Waits until every task is final, and every job has ended. */
  public void awaitDrained(Duration patience) {
    await("all tasks of " + taskType + " are final")
        .atMost(patience)
        .pollInterval(Duration.ofMillis(200))
        .until(
            () ->
                count("status IN (1, 2, 32)") == 0
                    && jobs().stream().allMatch(job -> job.state().isFinal()));
  }

  /** The jobs of the type as they stand. */
  public List<Audit.Job> jobs() {
    try (Connection connection = cluster.connect()) {
      return Audit.jobs(connection, taskType);
    } catch (SQLException e) {
      throw new IllegalStateException("the jobs of " + taskType + " cannot be read", e);
    }
  }

  /** How many tasks of the type meet a condition. */
  public int count(String condition) {
    try (Connection connection = cluster.connect()) {
      String sql =
          IntStream.rangeClosed(1, Audit.position(connection, taskType).end())
              .mapToObj(n -> COUNT.formatted(taskType, n, condition))
              .collect(joining(" UNION ALL ", "SELECT SUM(n) FROM (", ") tables"));
      try (PreparedStatement statement = connection.prepareStatement(sql);
          ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getInt(1);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("tasks with " + condition, e);
    }
  }

  /** Changes the row of a task behind the servers' backs. */
  public void change(String assignment, String taskId) {
    String number = taskId.substring(0, taskId.indexOf('_'));
    String sql = "UPDATE t" + taskId.substring(number.length()) + " SET " + assignment;
    try (Connection connection = cluster.connect();
        PreparedStatement statement = connection.prepareStatement(sql + " WHERE id = " + number)) {
      statement.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** Where the tables of the type begin and end. */
  public Audit.Position position() {
    try (Connection connection = cluster.connect()) {
      return Audit.position(connection, taskType);
    } catch (SQLException e) {
      throw new IllegalStateException("the position of " + taskType + " cannot be read", e);
    }
  }

  /** The rows as they stand. */
  public Audit audit() {
    try (Connection connection = cluster.connect()) {
      return Audit.read(connection, taskType);
    } catch (SQLException e) {
      throw new IllegalStateException("the rows of " + taskType + " cannot be read", e);
    }
  }

  /** Writes down where the tables of the type begin and end. */
  public void lookAtPosition() {
    Audit.Position position = position();
    recorder.record(
        recorder.newCall(),
        Event.draft(Act.POSITION, Phase.OK).status(position.begin()).epoch(position.end()));
  }

  /** Some task whose creation was acknowledged; empty if none was yet. */
  public synchronized Optional<String> anyAcknowledged(Random random) {
    return acknowledged.isEmpty()
        ? Optional.empty()
        : Optional.of(acknowledged.get(random.nextInt(acknowledged.size())));
  }

  /** What has been recorded so far. */
  public History history() {
    return History.in(directory);
  }

  /** Holds the history and the rows to the invariants. */
  public Verdict verdict() {
    return verdict(plan.drainBound());
  }

  /**
   * The same.
   *
   * @param drainWithin how long after it healed the last task may end
   */
  public Verdict verdict(Duration drainWithin) {
    return new HistoryChecker(plan.rules(drainWithin)).check(history(), audit());
  }

  /** Ends the workers. The history stays. */
  @Override
  public synchronized void close() {
    workers.forEach(WorkerNode::kill);
    recorder.close();
  }
}
