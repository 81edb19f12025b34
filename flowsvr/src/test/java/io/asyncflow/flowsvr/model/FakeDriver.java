package io.asyncflow.flowsvr.model;

import io.asyncflow.api.ReportResult;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.fake.FakeFlowServer;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Carries out commands against the fake server that workers are tested with. It sweeps by itself
 * whenever it is asked something, has one table a type, and knows neither old clients nor forced
 * statuses.
 */
final class FakeDriver extends ClientDriver {

  private static final long START_MS = Instant.parse("2027-01-01T00:00:00Z").toEpochMilli();

  private final FakeFlowServer server;
  private final AtomicLong nowMs;

  FakeDriver() {
    this(new AtomicLong(START_MS));
  }

  private FakeDriver(AtomicLong nowMs) {
    this(nowMs, new FakeFlowServer(() -> TimeUnit.MILLISECONDS.toNanos(nowMs.get())));
  }

  private FakeDriver(AtomicLong nowMs, FakeFlowServer server) {
    super(server, new ServerNames("f", START_MS));
    this.nowMs = nowMs;
    this.server = server;
  }

  @Override
  public Answer report(Command.Report command) {
    return answer(
        () -> {
          ReportResult result = server.report(List.of(toServer(command))).get(0);
          return result.stands()
              ? new Answer.Reported(
                  List.of(outcome(command, result.outcome().name(), result.created())))
              : Answer.refused(result.code());
        });
  }

  @Override
  public Answer passTime(Command.PassTime command) {
    nowMs.addAndGet(command.ms());
    server.getUserTaskList(
        "nobody", new TaskPageRequest(Set.of(), 1, null)); // it sweeps before it answers
    return new Answer.Done();
  }

  /** It has done so. */
  @Override
  public Answer sweep(Command.Sweep command) {
    return new Answer.Done();
  }

  @Override
  public Answer addTable(Command.AddTable command) {
    throw unknown();
  }

  @Override
  public Answer oldUpdate(Command.OldUpdate command) {
    throw unknown();
  }

  @Override
  public Answer forceStatus(Command.ForceStatus command) {
    throw unknown();
  }

  private static UnsupportedOperationException unknown() {
    return new UnsupportedOperationException("the fake server has no such call");
  }
}
