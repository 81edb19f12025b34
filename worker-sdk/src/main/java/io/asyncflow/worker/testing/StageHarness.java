package io.asyncflow.worker.testing;

import io.asyncflow.api.Copy;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.codec.Sealing;
import io.asyncflow.fake.FakeStore;
import io.asyncflow.worker.ChildResult;
import io.asyncflow.worker.JobMerger;
import io.asyncflow.worker.JobSplitter;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.execute.RunStore;
import io.asyncflow.worker.internal.json.ContextJson;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Runs one handler once, without a worker or a server.
 *
 * <pre>{@code
 * StageResult result = StageHarness.run("synthesize").withContext(speech).onSlot("cpu").with(handler);
 * }</pre>
 *
 * <p>Defaults: type {@code test}, first attempt, epoch 1, an empty context, no slot, a minute of
 * time, an empty store, no schedule, no team. Not thread-safe.
 */
public final class StageHarness implements StageContext {

  private final String stage;
  private final List<Integer> progress = new ArrayList<>();
  private String taskType = "test";
  private String userId = "tester";
  private int attempt = 1;
  private int localAttempt = 1;
  private int epoch = 1;
  private String traceParent;
  private String context = "";
  private FakeStore store = new FakeStore();
  private Slot slot;
  private Duration remaining = Duration.ofMinutes(1);
  private boolean cancelled;
  private Instant fireTime;
  private Copy copy;

  private StageHarness(String stage) {
    this.stage = stage;
  }

  /** Begins the description of a run of this stage. */
  public static StageHarness run(String stage) {
    return new StageHarness(stage);
  }

  public StageHarness ofType(String value) {
    taskType = value;
    return this;
  }

  public StageHarness forUser(String value) {
    userId = value;
    return this;
  }

  /** Sets the context, written as JSON unless it is a string. */
  public StageHarness withContext(Object value) {
    context = value == null ? "" : ContextJson.write(value);
    return this;
  }

  /** Sets the number of the attempt, from 1. */
  public StageHarness inAttempt(int value) {
    attempt = value;
    return this;
  }

  /** Sets the number of the run within the hold, from 1: above 1 it is a local retry. */
  public StageHarness inLocalAttempt(int value) {
    localAttempt = value;
    return this;
  }

  public StageHarness inEpoch(int value) {
    epoch = value;
    return this;
  }

  /** As a task whose create had this W3C {@code traceparent}. */
  public StageHarness inTrace(String value) {
    traceParent = Objects.requireNonNull(value, "traceparent");
    return this;
  }

  /** Gives the run the first place on this device. */
  public StageHarness onSlot(String device) {
    slot = new Slot(device, 0);
    return this;
  }

  public StageHarness withRemaining(Duration value) {
    remaining = value;
    return this;
  }

  /** Cancels the run before it begins. */
  public StageHarness cancelledAlready() {
    cancelled = true;
    return this;
  }

  /** Lets a schedule have created the task, by its fire of this time. */
  public StageHarness firedAt(Instant value) {
    fireTime = Objects.requireNonNull(value, "fire time");
    return this;
  }

  /** Lets the task be a copy of a team: the one with this index of so many. */
  public StageHarness asCopy(int index, int total) {
    copy = new Copy(index, total);
    return this;
  }

  /** Sets the store of the run, which others may share; by default the run has its own. */
  public StageHarness withStore(FakeStore value) {
    store = value;
    return this;
  }

  /** Calls the handler in this thread and throws its exceptions. */
  public StageResult with(StageHandler handler) throws Exception {
    return handler.handle(this);
  }

  /** Runs a splitter with this input; returns the children. */
  public List<JobChild> split(JobSplitter splitter, String input) throws Exception {
    try (Stream<JobChild> children = splitter.split(new HarnessedJob(this, input, List.of()))) {
      return children.toList();
    }
  }

  /** Runs a merger with these results of the children, written as JSON unless they are strings. */
  public StageResult merge(JobMerger merger, List<?> results) throws Exception {
    List<ChildResult> children = new ArrayList<>();
    for (Object result : results) {
      String raw = result == null ? "" : ContextJson.write(result);
      children.add(new ChildResult(children.size(), "child-" + children.size(), raw));
    }
    return merger.merge(new HarnessedJob(this, "", children));
  }

  /** The progress values that the handler set, in order. */
  public List<Integer> progress() {
    return List.copyOf(progress);
  }

  @Override
  public String taskId() {
    return "1_" + taskType + "_task_1";
  }

  @Override
  public String taskType() {
    return taskType;
  }

  @Override
  public String stage() {
    return stage;
  }

  @Override
  public String userId() {
    return userId;
  }

  @Override
  public int attempt() {
    return attempt;
  }

  @Override
  public int localAttempt() {
    return localAttempt;
  }

  @Override
  public int leaseEpoch() {
    return epoch;
  }

  @Override
  public String traceId() {
    return "trace-" + epoch;
  }

  @Override
  public Optional<String> traceParent() {
    return Optional.ofNullable(traceParent);
  }

  @Override
  public String rawContext() {
    return context;
  }

  @Override
  public Duration remaining() {
    return remaining;
  }

  @Override
  public boolean cancelled() {
    return cancelled;
  }

  @Override
  public void progress(int percent) {
    progress.add(percent);
  }

  @Override
  public String store(String name, Path file) {
    return runStore().put(name, file);
  }

  @Override
  public String store(String name, InputStream data) {
    return runStore().put(name, data);
  }

  @Override
  public InputStream open(String reference) {
    return runStore().open(reference);
  }

  private RunStore runStore() {
    return new RunStore(this, "harness", store, Sealing.OFF);
  }

  @Override
  public Optional<Copy> copy() {
    return Optional.ofNullable(copy);
  }

  @Override
  public Optional<String> scheduleId() {
    return fireTime().map(time -> "1");
  }

  @Override
  public Optional<Instant> fireTime() {
    return Optional.ofNullable(fireTime);
  }

  @Override
  public Optional<Slot> slot() {
    return Optional.ofNullable(slot);
  }
}
