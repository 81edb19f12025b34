package io.asyncflow.worker.internal.poll;

import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.worker.internal.loop.ManualTicker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;

/**
 * Answers holds as the test has written down, one after the other, and then with nothing after the
 * whole wait, which is over at once. It looks at no reports that come with a hold.
 */
public final class StubFlowClient extends ForwardingFlowClient {

  final List<HoldRequest> holds = new ArrayList<>();
  final List<Report> reports = new ArrayList<>();

  /** Whether the holds drain the worker. */
  boolean drain;

  /** The version that the type asks for; {@code null} if the worker has it. */
  Integer minWorkerVersion;

  private final Deque<Function<HoldRequest, List<Task>>> answers = new ArrayDeque<>();
  private final ManualTicker ticker;

  public StubFlowClient(ManualTicker ticker) {
    super(new FakeFlowServer(ticker::nanos));
    this.ticker = ticker;
  }

  /** The next hold is answered so. */
  StubFlowClient then(Function<HoldRequest, List<Task>> answer) {
    answers.add(answer);
    return this;
  }

  StubFlowClient thenTasks(Task... tasks) {
    return then(request -> List.of(tasks));
  }

  StubFlowClient thenNothing() {
    return then(this::waitInVain);
  }

  StubFlowClient thenThrow(RuntimeException e) {
    return then(
        request -> {
          throw e;
        });
  }

  StubFlowClient thenLoseTheAnswer() {
    return thenThrow(new FlowUnreachableException("the answer got lost", null));
  }

  HoldRequest lastHold() {
    return holds.get(holds.size() - 1);
  }

  /** One of which so many holds in a row ended without a word. */
  public static Task lostTask(String id, String stage, int deliveries) {
    return task(id, stage, 30_000, deliveries);
  }

  public static Task task(String id, String stage, long leaseMs) {
    return task(id, stage, leaseMs, 0);
  }

  private static Task task(String id, String stage, long leaseMs, int deliveries) {
    return new Task(
        "me",
        id,
        "lark",
        stage,
        2,
        0,
        0,
        0,
        3,
        10,
        null,
        null,
        "",
        "",
        0,
        0,
        1,
        leaseMs,
        "w",
        deliveries,
        "trace",
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }

  @Override
  public HoldAnswer hold(HoldRequest request) {
    holds.add(request);
    List<Task> tasks =
        answers.isEmpty() ? waitInVain(request) : answers.removeFirst().apply(request);
    return new HoldAnswer(tasks, List.of(), drain, null, minWorkerVersion, false);
  }

  @Override
  public HoldAnswer hold(HoldRequest request, List<Report> batch) {
    return hold(request);
  }

  private List<Task> waitInVain(HoldRequest request) {
    ticker.advance(Duration.ofMillis(request.waitMs()));
    return List.of();
  }

  @Override
  public List<ReportResult> report(List<Report> batch) {
    reports.addAll(batch);
    return batch.stream().map(report -> ReportResult.accepted(report.taskId())).toList();
  }

  @Override
  public HeartbeatAnswer heartbeat(Heartbeat heartbeat) {
    return new HeartbeatAnswer(List.of(), false, null);
  }
}
