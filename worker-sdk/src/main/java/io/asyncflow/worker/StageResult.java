package io.asyncflow.worker;

import java.time.Duration;
import java.util.Objects;

/**
 * What a stage came to, as data; the server decides what it means for the task.
 *
 * <p>A context or a result of more than 4,096 bytes, up to 16 MiB, is put into the context store,
 * and a reference into the task. The next stage, or the merger, reads it as if it were in the task;
 * {@code getTask} shows the reference, and {@link io.asyncflow.api.StoreClient#textOf} reads it.
 */
public sealed interface StageResult {

  /** Hand over to {@code stage} with a new context ({@code null} keeps the old one). */
  static NextStage next(String stage, Object context) {
    return new NextStage(stage, context, null);
  }

  /** Hand over to {@code stage} with the context as it is. */
  static NextStage next(String stage) {
    return new NextStage(stage, null, null);
  }

  /** The task is done, with nothing to show for it. */
  static StageResult done() {
    return new Done(null);
  }

  /** The task is done; {@code result} is kept with it, as JSON unless it is a string. */
  static StageResult done(Object result) {
    return new Done(result);
  }

  /** The attempt failed; try again after the type's delay, if retries are left. */
  static StageResult retry(String reason) {
    return new Retry(reason, null);
  }

  /** The attempt failed; try again after {@code delay}, if retries are left. */
  static StageResult retry(String reason, Duration delay) {
    return new Retry(reason, Objects.requireNonNull(delay, "delay"));
  }

  /** The task failed for good. */
  static StageResult fail(String reason) {
    return new Fail(reason);
  }

  /** Not yet: run this stage again after {@code delay}; no attempt is counted. */
  static StageResult snooze(Duration delay) {
    return new Snooze(delay);
  }

  /**
   * @param stage the stage to run next, at most 64 characters
   * @param context what it reads, written as JSON unless it is a string; {@code null} keeps the old
   * @param priority seconds of head start; {@code null} keeps the task's
   */
  record NextStage(String stage, Object context, Integer priority) implements StageResult {
    public NextStage {
      Objects.requireNonNull(stage, "stage");
    }

    /** The same with so many seconds of head start, from this hand-over on. */
    public NextStage withPriority(int seconds) {
      return new NextStage(stage, context, seconds);
    }
  }

  /**
   * @param result written as JSON unless it is a string; {@code null} for none
   */
  record Done(Object result) implements StageResult {}

  /**
   * @param delay instead of the type's, at most ten years; a negative one is none at all; {@code
   *     null} for the type's
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
   * @param delay until the stage is due again, at most ten years; a negative one is none at all
   */
  record Snooze(Duration delay) implements StageResult {
    public Snooze {
      delay = Delays.checked(Objects.requireNonNull(delay, "delay"));
    }
  }
}
