package io.asyncflow.systemtest.chaos;

import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.worker.JobScript;
import io.asyncflow.systemtest.worker.Script;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The jobs of a chaos run, created beside its tasks at the same pace. In turn one is well, one has
 * a child that fails while the others go on, one has a child whose failure ends it, and one is
 * cancelled soon after.
 *
 * <p>They have a seed of their own: the tasks behave as they do without them. For one thread.
 */
final class ChaosJobs {

  static final int CHILDREN = 50;

  /** Tasks that are created between a job and its cancel, at most: some seconds at full load. */
  private static final int TASKS_UNTIL_CANCEL = 200;

  private enum Kind {
    WELL,
    ONE_FAILS,
    ONE_ENDS_IT,
    CANCELLED
  }

  private final ChaosPlan plan;
  private final Scenario scenario;
  private final FlowClient client;
  private final Random random;
  private final SortedMap<Integer, String> cancelsDue = new TreeMap<>();
  private int created;

  ChaosJobs(ChaosPlan plan, Scenario scenario, FlowClient client) {
    this.plan = plan;
    this.scenario = scenario;
    this.client = client;
    this.random = new Random(plan.seed() + 3);
  }

  /** Does what is due once so many tasks have been created. */
  void keepUpWith(int tasks) {
    while (created < (long) plan.jobs() * tasks / plan.tasks()) {
      create(Kind.values()[created++ % Kind.values().length], tasks);
    }
    while (!cancelsDue.isEmpty() && (cancelsDue.firstKey() <= tasks || tasks == plan.tasks())) {
      cancel(cancelsDue.remove(cancelsDue.firstKey()));
    }
  }

  private void create(Kind kind, int tasks) {
    int broken = kind == Kind.WELL ? CHILDREN : random.nextInt(CHILDREN);
    JobScript script =
        JobScript.of(
            IntStream.range(0, CHILDREN)
                .mapToObj(i -> kind != Kind.CANCELLED && i == broken ? failing() : behaviour()));
    FailurePolicy policy =
        kind == Kind.ONE_ENDS_IT ? FailurePolicy.FAIL_FAST : FailurePolicy.FINISH;
    String id = scenario.createJob(client, script, policy);
    if (kind == Kind.CANCELLED) {
      cancelsDue.put(tasks + 1 + random.nextInt(TASKS_UNTIL_CANCEL), id);
    }
  }

  private static Script failing() {
    return Script.smooth().with(Script.STAGES.get(1), "FAIL");
  }

  private Script behaviour() {
    String stage = Script.STAGES.get(random.nextInt(Script.STAGES.size()));
    return random.nextInt(100) < 5
        ? Script.smooth().with(stage, "ERROR", "OK")
        : Script.smooth().with(stage, "SLEEP " + random.nextInt(200));
  }

  private void cancel(String id) {
    try {
      client.jobs().cancelJob(id);
    } catch (FlowException e) {
      // A fault, or it has ended already; what came of it is in the history.
    }
  }
}
