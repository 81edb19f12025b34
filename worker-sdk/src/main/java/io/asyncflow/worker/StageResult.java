package io.asyncflow.worker;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * The result of a stage; the server derives the task's next state from it.
 *
 * <p>A context or a result of more than 4,096 bytes, up to 16 MiB, is stored in the context store
 * and replaced by a reference in the task. The next stage or the merger reads it as if it were in
 * the task; {@code getTask} shows the reference, and {@link io.asyncflow.api.StoreClient#textOf}
 * reads it.
 */
public sealed interface StageResult {

  /** Continues with {@code stage} and a new context ({@code null} keeps the old one). */
  static NextStage next(String stage, Object context) {
    return new NextStage(stage, context, null);
  }

  /** Continues with {@code stage} and the same context. */
  static NextStage next(String stage) {
    return new NextStage(stage, null, null);
  }

  /** The task succeeded without a result. */
  static StageResult done() {
    return new Done(null);
  }

  /** The task succeeded; {@code result} is stored with it, as JSON unless it is a string. */
  static StageResult done(Object result) {
    return new Done(result);
  }

  /** The attempt failed; the stage is retried after the type's delay, if retries are left. */
  static StageResult retry(String reason) {
    return new Retry(reason, null);
  }

  /** The attempt failed; the stage is retried after {@code delay}, if retries are left. */
  static StageResult retry(String reason, Duration delay) {
    return new Retry(reason, Objects.requireNonNull(delay, "delay"));
  }

  /** The task failed for good. */
  static StageResult fail(String reason) {
    return new Fail(reason);
  }

  /** The stage is run again after {@code delay}; no attempt is counted. */
  static StageResult snooze(Duration delay) {
    return new Snooze(delay);
  }

  /**
   * @param stage the stage to run next, at most 64 characters
   * @param context the new context, written as JSON unless it is a string; {@code null} keeps the
   *     old one
   * @param priority the head start in seconds; {@code null} keeps the task's
   * @param workerIds the at most 64 workers that may hold the task from then on; empty for all;
   *     {@code null} keeps those that may hold it now
   */
  record NextStage(String stage, Object context, Integer priority, List<String> workerIds)
      implements StageResult {
    public NextStage {
      Objects.requireNonNull(stage, "stage");
    }

    /** A next stage for the same workers. */
    public NextStage(String stage, Object context, Integer priority) {
      this(stage, context, priority, null);
    }

    /** The same on these workers alone, from the next stage on; without any, on all. */
    public NextStage onWorkers(String... ids) {
      return new NextStage(stage, context, priority, List.of(ids));
    }

    /** The same with this head start, from the next stage on. */
    public NextStage withPriority(int seconds) {
      return new NextStage(stage, context, seconds, workerIds);
    }
  }

  /**
   * @param result written as JSON unless it is a string; {@code null} for none
   */
  record Done(Object result) implements StageResult {}

  /**
   * @param delay replaces the type's delay, at most ten years; a negative one counts as zero;
   *     {@code null} for the type's
   */
  record Retry(String reason, Duration delay) implements StageResult {
    public Retry {
      delay = delay == null ? null : Delays.checked(delay);
    }
  }

  /**
   * @param reason kept in the task's schedule log
   */
  record Fail(String reason) implements StageResult {}

  /**
   * @param delay until the stage is due again, at most ten years; a negative one counts as zero
   */
  record Snooze(Duration delay) implements StageResult {
    public Snooze {
      delay = Delays.checked(Objects.requireNonNull(delay, "delay"));
    }
  }
}
