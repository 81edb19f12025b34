package io.asyncflow.systemtest.history;

import io.asyncflow.api.CreateResult;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.Heartbeat;
import io.asyncflow.api.HeartbeatAnswer;
import io.asyncflow.api.HoldAnswer;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.api.Transport;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Writes down the calls of another client that a history is about: before each is sent, and what
 * came of it.
 *
 * <p>What the server must not forget is recorded only after its answer came, and what it may have
 * been told is recorded before it is sent; a kill between the two leaves the truth. Thread-safe.
 */
public final class RecordingFlowClient extends ForwardingFlowClient {

  /** The answer of a call that its own thread gave up; nobody's fault. */
  public static final String INTERRUPTED = "interrupted";

  private final FlowClient heartbeats;
  private final Recorder recorder;

  public RecordingFlowClient(FlowClient client, Recorder recorder) {
    this(client, client, recorder);
  }

  /**
   * @param heartbeats the client for heartbeats alone, which are worth no long wait
   */
  public RecordingFlowClient(FlowClient client, FlowClient heartbeats, Recorder recorder) {
    super(client);
    this.heartbeats = heartbeats;
    this.recorder = recorder;
  }

  @Override
  public CreateResult create(NewTask task) {
    return recorded(
        phase -> List.of(line(phase, task)),
        () -> super.create(task),
        created -> List.of(line(Phase.OK, task).task(created.taskId())));
  }

  @Override
  public List<CreateResult> create(List<NewTask> tasks) {
    return recorded(
        phase -> tasks.stream().map(task -> line(phase, task)).toList(),
        () -> super.create(tasks),
        results ->
            zip(tasks, results, (task, created) -> line(Phase.OK, task).task(created.taskId())));
  }

  private static Event line(Phase phase, NewTask task) {
    return Event.draft(Act.CREATE, phase)
        .key(task.idempotencyKey())
        .stage(task.taskStage())
        .text(task.taskContext())
        .delayMs(task.delayMs());
  }

  @Override
  public Task getTask(String taskId) {
    return recorded(
        phase -> List.of(Event.draft(Act.READ, phase).task(taskId)),
        () -> super.getTask(taskId),
        task -> List.of(line(Act.READ, task)));
  }

  @Override
  public void cancelTask(String taskId, String operator, String reason) {
    recorded(
        phase -> List.of(Event.draft(Act.CANCEL, phase).task(taskId)),
        () -> {
          super.cancelTask(taskId, operator, reason);
          return taskId;
        },
        id -> List.of(Event.draft(Act.CANCEL, Phase.OK).task(id)));
  }

  @Override
  public void setWorkers(String taskId, List<String> workerIds, String operator, String reason) {
    revoked(taskId, () -> super.setWorkers(taskId, workerIds, operator, reason));
  }

  @Override
  public void restartTask(String taskId, String operator, String reason) {
    revoked(taskId, () -> super.restartTask(taskId, operator, reason));
  }

  private void revoked(String taskId, Runnable act) {
    recorded(
        phase -> List.of(Event.draft(Act.REVOKE, phase).task(taskId)),
        () -> {
          act.run();
          return taskId;
        },
        id -> List.of(Event.draft(Act.REVOKE, Phase.OK).task(id)));
  }

  @Override
  public HoldAnswer hold(HoldRequest request) {
    return recorded(
        phase -> List.of(line(phase, request)),
        () -> super.hold(request),
        answer -> given(request, answer.tasks()));
  }

  @Override
  public HoldAnswer hold(HoldRequest request, List<Report> reports) {
    return recorded(
        phase -> List.of(line(phase, request)),
        () -> takeAlong(request, reports),
        answer -> given(request, answer.tasks()));
  }

  /** The reports come first, and a hold that is refused then does not undo them. */
  private HoldAnswer takeAlong(HoldRequest request, List<Report> reports) {
    return recorded(
        phase -> reports.stream().map(report -> line(phase, report)).toList(),
        () -> super.hold(request, reports),
        answer -> zip(reports, answer.outcomes(), RecordingFlowClient::answered),
        refusal -> Phase.UNKNOWN);
  }

  private static Event line(Phase phase, HoldRequest request) {
    return Event.draft(Act.HOLD, phase).key(request.holdId()).worker(request.workerId());
  }

  private static List<Event> given(HoldRequest request, List<Task> tasks) {
    return tasks.isEmpty()
        ? List.of(line(Phase.OK, request))
        : tasks.stream()
            .map(task -> line(Act.HOLD, task).key(request.holdId()).worker(request.workerId()))
            .toList();
  }

  private static Event line(Act act, Task task) {
    return Event.draft(act, Phase.OK)
        .task(task.taskId())
        .epoch(task.leaseEpoch())
        .stage(task.taskStage())
        .worker(task.workerId())
        .text(task.taskContext())
        .status(task.status())
        .failures(task.crtRetryNum())
        .leaseMs(task.leaseMs());
  }

  @Override
  public List<ReportResult> report(List<Report> reports) {
    return recorded(
        phase -> reports.stream().map(report -> line(phase, report)).toList(),
        () -> super.report(reports),
        results -> zip(reports, results, RecordingFlowClient::answered));
  }

  private static Event line(Phase phase, Report report) {
    String text = report.result() != null ? report.result() : report.taskContext();
    Long delayMs = report.delayMs() != null ? report.delayMs() : report.retryAfterMs();
    return Event.draft(Act.REPORT, phase)
        .task(report.taskId())
        .epoch(report.leaseEpoch())
        .worker(report.workerId())
        .key(report.reportId())
        .outcome(report.outcome().name())
        .nextStage(report.taskStage())
        .text(text)
        .delayMs(delayMs);
  }

  private static Event answered(Report report, ReportResult result) {
    return line(result.stands() ? Phase.OK : phaseOf(result.code()), report)
        .answer(String.valueOf(result.outcome())) // null is a word of a later version
        .code(result.stands() ? null : result.code());
  }

  @Override
  public HeartbeatAnswer heartbeat(Heartbeat heartbeat) {
    return recorded(
        phase ->
            heartbeat.tasks().stream()
                .map(
                    held ->
                        Event.draft(Act.BEAT, phase)
                            .worker(heartbeat.workerId())
                            .task(held.taskId())
                            .epoch(held.leaseEpoch()))
                .toList(),
        () -> heartbeats.heartbeat(heartbeat),
        answer ->
            answer.tasks().stream()
                .map(
                    state ->
                        Event.draft(Act.BEAT, Phase.OK)
                            .worker(heartbeat.workerId())
                            .task(state.taskId())
                            .epoch(state.leaseEpoch())
                            .outcome(state.state().name())
                            .leaseMs(state.leaseMs()))
                .toList());
  }

  @Override
  public Transport transport() {
    return new RecordingTransport(super.transport(), this);
  }

  <T> T recorded(
      Function<Phase, List<Event>> request, Supplier<T> work, Function<T, List<Event>> answer) {
    return recorded(request, work, answer, refusal -> phaseOf(codeOf(refusal)));
  }

  private <T> T recorded(
      Function<Phase, List<Event>> request,
      Supplier<T> work,
      Function<T, List<Event>> answer,
      Function<FlowException, Phase> refused) {
    long call = recorder.newCall();
    recorder.record(call, request.apply(Phase.INVOKE));
    T result;
    try {
      result = work.get();
    } catch (FlowException e) {
      Phase phase = e instanceof FlowUnreachableException ? Phase.UNKNOWN : refused.apply(e);
      recorder.record(
          call,
          request.apply(phase).stream()
              .map(line -> line.code(codeOf(e)).answer(reasonOf(e)))
              .toList());
      throw e;
    }
    recorder.record(call, answer.apply(result));
    return result;
  }

  /** An answer without a number is no answer at all. */
  private static Integer codeOf(FlowException e) {
    return e instanceof FlowUnreachableException ? null : e.errorCode().code();
  }

  private static String reasonOf(FlowException e) {
    return e.getCause() instanceof InterruptedException ? INTERRUPTED : e.getMessage();
  }

  /** A refusal has done nothing; after a failure of the server nobody knows. */
  private static Phase phaseOf(int code) {
    boolean failed = code == ErrorCode.UNAVAILABLE.code() || code == ErrorCode.INTERNAL.code();
    return failed ? Phase.UNKNOWN : Phase.FAIL;
  }

  private static <A, B> List<Event> zip(List<A> as, List<B> bs, BiFunction<A, B, Event> line) {
    return IntStream.range(0, Math.min(as.size(), bs.size()))
        .mapToObj(i -> line.apply(as.get(i), bs.get(i)))
        .toList();
  }
}
