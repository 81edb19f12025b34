package io.asyncflow.worker.internal.execute;

import io.asyncflow.api.Copy;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.StoredText;
import io.asyncflow.api.Task;
import io.asyncflow.api.codec.Field;
import io.asyncflow.api.codec.Field.Kind;
import io.asyncflow.api.codec.Sealing;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.internal.loop.Ticker;
import io.asyncflow.worker.internal.report.LargeTexts;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.stage.JobRun;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The context of one run for its handler. */
final class RunContext implements JobRun {

  private final Run run;
  private final Slot slot;
  private final Ticker ticker;
  private final FlowClient client;
  private final StoreClient store;
  private final Sealing sealing;
  private final int localAttempt;
  private volatile String context;

  /** A context that only describes the run. */
  RunContext(Run run, Slot slot, Ticker ticker, Sealing sealing) {
    this(run, slot, ticker, null, null, sealing);
  }

  RunContext(
      Run run, Slot slot, Ticker ticker, FlowClient client, StoreClient store, Sealing sealing) {
    this.run = run;
    this.slot = slot;
    this.ticker = ticker;
    this.client = client;
    this.store = store;
    this.sealing = sealing;
    this.localAttempt = run.localRetries() + 1;
  }

  private Task task() {
    return run.task();
  }

  @Override
  public String taskId() {
    return task().taskId();
  }

  @Override
  public String taskType() {
    return run.taskType();
  }

  @Override
  public String stage() {
    return task().taskStage();
  }

  @Override
  public String userId() {
    return task().userId();
  }

  @Override
  public int attempt() {
    return task().attempt();
  }

  @Override
  public int localAttempt() {
    return localAttempt;
  }

  @Override
  public int leaseEpoch() {
    return task().leaseEpoch();
  }

  @Override
  public String traceId() {
    return task().traceId();
  }

  @Override
  public Optional<String> traceParent() {
    String ofSpan = run.span().traceParent();
    return Optional.ofNullable(ofSpan == null ? task().traceParent() : ofSpan);
  }

  @Override
  public String rawContext() {
    if (context == null) {
      String inRow = task().taskContext();
      context = inRow == null ? "" : sealing.open(Field.of(Kind.CONTEXT, task()), textOf(inRow));
    }
    return context;
  }

  @Override
  public Duration remaining() {
    long now = ticker.nanos();
    return run.isTimedOut(now)
        ? Duration.ZERO
        : Duration.ofNanos(Math.max(0, run.lease().deadline() - now));
  }

  @Override
  public boolean cancelled() {
    return remaining().isZero() || run.stopCause() != null;
  }

  @Override
  public void progress(int percent) {
    if (percent < 0 || percent > 100) {
      throw new IllegalArgumentException("progress is 0 to 100, not " + percent);
    }
    run.progress(percent);
  }

  @Override
  public Optional<String> jobId() {
    return Optional.ofNullable(task().jobId());
  }

  @Override
  public Optional<Copy> copy() {
    return Optional.ofNullable(task().copy());
  }

  @Override
  public Optional<String> scheduleId() {
    return Optional.ofNullable(task().scheduleId());
  }

  @Override
  public Optional<Instant> fireTime() {
    return Optional.ofNullable(task().fireTime()).map(Instant::ofEpochMilli);
  }

  @Override
  public String workerId() {
    return task().workerId();
  }

  @Override
  public JobClient jobs() {
    return client.jobs();
  }

  @Override
  public Sealing sealing() {
    return sealing;
  }

  @Override
  public String store(String name, Path file) {
    return store().put(name, file);
  }

  @Override
  public String store(String name, InputStream data) {
    return store().put(name, data);
  }

  @Override
  public InputStream open(String reference) {
    return store().open(reference);
  }

  @Override
  public String textOf(String contextOrResult) {
    return StoredText.parse(contextOrResult).isPresent()
        ? store().textOf(contextOrResult)
        : contextOrResult;
  }

  @Override
  public String inRow(String name, String text) throws InterruptedException {
    return LargeTexts.isLarge(text) ? store().inRow(name, text) : text;
  }

  private RunStore store() {
    if (store == null) {
      throw new IllegalStateException("the store cannot be read before the run");
    }
    return new RunStore(this, workerId(), store, sealing);
  }

  @Override
  public Optional<Slot> slot() {
    return Optional.ofNullable(slot);
  }

  @Override
  public String toString() {
    return run.toString();
  }
}
