package io.asyncflow.bench.work;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.key.NewKey;
import io.asyncflow.bench.bed.Cluster;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.contest.Contender;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Runs of tasks by clients that send a key: a hold of one task, a heartbeat and a report, each a
 * call. What the check of the key costs shows best in such small calls.
 */
public final class RunsWithKey implements Contender<Duration> {

  public static final int CLIENTS = 4;

  /** A key that no server refuses as weak; it guards nothing. */
  public static final String SERVER_KEY = "72057594037927936-31415926535";

  private static final String TYPE = "bench_access";
  private static final int BULK = 500;
  private static final int PATIENCE_MS = 1_000;

  private final String name;
  private final FlowClient creator;
  private final FlowClient client;

  private RunsWithKey(String name, FlowClient creator, FlowClient client) {
    this.name = name;
    this.creator = creator;
    this.client = client;
    creator.saveTaskType(TaskTypeSettings.named(TYPE));
  }

  /** With the one key of the server. */
  public static RunsWithKey ofTheServer(Cluster server) {
    FlowClient client = server.flow(0, SERVER_KEY);
    return new RunsWithKey("one key", client, client);
  }

  /** With one of many access keys, in mode keys. */
  public static RunsWithKey ofMany(Cluster server, int keys) {
    FlowClient admin = server.flow(0, SERVER_KEY);
    String key = "";
    for (int i = 0; i < keys; i++) {
      key = admin.keys().create(NewKey.of("bench " + i, "WORKER").ofTypes(TYPE)).key();
    }
    return new RunsWithKey(
        String.format(Locale.ROOT, "%,d keys", keys), admin, server.flow(0, key));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Duration run(int tasks) throws Exception {
    for (int first = 0; first < tasks; first += BULK) {
      creator.createTasks(Workload.tasks(TYPE, first, Math.min(tasks, first + BULK)));
    }
    return Crowd.share(tasks, CLIENTS, () -> unit -> runOne("bench-" + unit % CLIENTS));
  }

  private void runOne(String worker) {
    List<Task> held =
        client.holdTasks(
            new HoldRequest(TYPE, 1, worker, PATIENCE_MS, null, List.of(Workload.STAGE)));
    if (held.size() != 1) {
      throw new IllegalStateException("a hold got " + held.size() + " tasks");
    }
    Task task = held.get(0);
    client.heartbeat(
        new Heartbeat(
            worker, List.of(new Heartbeat.HeldTask(task.taskId(), task.leaseEpoch(), null))));
    client.report(List.of(Workload.success(task)));
  }
}
