package io.asyncflow.systemtest.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Task;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.worker.Reports;
import io.asyncflow.systemtest.worker.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How long a parked hold takes to learn of a new task. */
final class WakeUps {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Pattern PARKED = Pattern.compile("(?m)^asyncflow_holds_parked\\S* (\\S+)$");

  private WakeUps() {}

  /**
   * Parks a hold on one server and creates a task on the other, again and again.
   *
   * @return the time from each create's start to the answer of its hold, shortest first
   */
  static List<Duration> measure(
      Scenario scenario, ServerNode creating, ServerNode holding, int rounds) {
    FlowClient creator = scenario.client(creating);
    FlowClient holder = scenario.client(holding);
    List<Duration> delays = new ArrayList<>();
    awaitParked(holding, 0); // those of workers that have left end by themselves
    for (int round = 0; round < rounds; round++) {
      HoldRequest hold =
          new HoldRequest(
              scenario.taskType(), 1, "sleeper", 20_000, scenario.taskType() + "-" + round, null);
      CompletableFuture<List<Task>> parked =
          CompletableFuture.supplyAsync(() -> holder.holdTasks(hold), OtherThread::start);
      awaitParked(holding, 1);
      assertThat(parked).isNotDone();
      Stopwatch watch = Stopwatch.start();
      scenario.create(creator, 1, Script.smooth());
      Task task = parked.join().get(0);
      delays.add(watch.elapsed());
      holder.report(List.of(Reports.success(task, null)));
    }
    Collections.sort(delays);
    return delays;
  }

  private static void awaitParked(ServerNode server, int holds) {
    await().atMost(PATIENCE).until(() -> parked(server) == holds);
  }

  private static double parked(ServerNode server) {
    Matcher gauge = PARKED.matcher(server.get("/actuator/prometheus"));
    assertThat(gauge.find()).isTrue();
    return Double.parseDouble(gauge.group(1));
  }
}
