package io.asyncflow.worker.internal.stage;

import io.asyncflow.api.Copy;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.StageContext;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A context that delegates to another one. */
public abstract class ForwardingContext implements StageContext {

  private final StageContext run;

  protected ForwardingContext(StageContext run) {
    this.run = run;
  }

  @Override
  public String taskId() {
    return run.taskId();
  }

  @Override
  public String taskType() {
    return run.taskType();
  }

  @Override
  public String stage() {
    return run.stage();
  }

  @Override
  public String userId() {
    return run.userId();
  }

  @Override
  public int attempt() {
    return run.attempt();
  }

  @Override
  public int localAttempt() {
    return run.localAttempt();
  }

  @Override
  public int leaseEpoch() {
    return run.leaseEpoch();
  }

  @Override
  public String traceId() {
    return run.traceId();
  }

  @Override
  public Optional<String> traceParent() {
    return run.traceParent();
  }

  @Override
  public String rawContext() {
    return run.rawContext();
  }

  @Override
  public Duration remaining() {
    return run.remaining();
  }

  @Override
  public boolean cancelled() {
    return run.cancelled();
  }

  @Override
  public void progress(int percent) {
    run.progress(percent);
  }

  @Override
  public String store(String name, Path file) {
    return run.store(name, file);
  }

  @Override
  public String store(String name, InputStream data) {
    return run.store(name, data);
  }

  @Override
  public InputStream open(String reference) {
    return run.open(reference);
  }

  @Override
  public Optional<Slot> slot() {
    return run.slot();
  }

  @Override
  public Optional<String> jobId() {
    return run.jobId();
  }

  @Override
  public Optional<Copy> copy() {
    return run.copy();
  }

  @Override
  public Optional<String> scheduleId() {
    return run.scheduleId();
  }

  @Override
  public Optional<Instant> fireTime() {
    return run.fireTime();
  }
}
