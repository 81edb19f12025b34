package io.asyncflow.example;

import io.asyncflow.worker.Slot;
import io.asyncflow.worker.StageContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** One run of a stage, as the SDK would give it to a handler. */
public final class Run implements StageContext {

  public final List<Integer> progress = new ArrayList<>();

  private final String taskId;
  private final String stage;
  private int epoch = 1;
  private String context = "{}";
  private Runnable atProgress = () -> {};
  private Iterator<Duration> remaining = List.<Duration>of().iterator();
  private boolean cancelled;

  private Run(String taskId, String stage) {
    this.taskId = taskId;
    this.stage = stage;
  }

  public static Run of(String taskId, String stage) {
    return new Run(taskId, stage);
  }

  public Run epoch(int number) {
    epoch = number;
    return this;
  }

  public Run reading(String json) {
    context = json;
    return this;
  }

  /** What happens whenever the handler tells its progress. */
  public Run atProgress(Runnable action) {
    atProgress = action;
    return this;
  }

  /** What the handler is told when it asks for its time; a minute after that. */
  public Run withRemaining(Duration... answers) {
    remaining = Arrays.asList(answers).iterator();
    return this;
  }

  public void cancel() {
    cancelled = true;
  }

  @Override
  public String taskId() {
    return taskId;
  }

  @Override
  public String taskType() {
    return taskId.split("_")[1];
  }

  @Override
  public String stage() {
    return stage;
  }

  @Override
  public String userId() {
    return "fish";
  }

  @Override
  public int attempt() {
    return 1;
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
  public String rawContext() {
    return context;
  }

  @Override
  public Duration remaining() {
    return remaining.hasNext() ? remaining.next() : Duration.ofMinutes(1);
  }

  @Override
  public boolean cancelled() {
    return cancelled;
  }

  @Override
  public void progress(int percent) {
    progress.add(percent);
    atProgress.run();
  }

  @Override
  public Optional<Slot> slot() {
    return Optional.of(new Slot("cpu", 0));
  }
}
