package io.asyncflow.worker;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.Report;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

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
  static Done done() {
    return new Done(null, List.of());
  }

  /** The task succeeded; {@code result} is stored with it, as JSON unless it is a string. */
  static Done done(Object result) {
    return new Done(result, List.of());
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
  static Fail fail(String reason) {
    return new Fail(reason, List.of());
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
   * @param creates as in {@link Done}
   */
  record NextStage(
      String stage, Object context, Integer priority, List<String> workerIds, List<NewTask> creates)
      implements StageResult {
    public NextStage {
      Objects.requireNonNull(stage, "stage");
      creates = checked(creates);
    }

    /** A next stage for the same workers, without further tasks. */
    public NextStage(String stage, Object context, Integer priority) {
      this(stage, context, priority, null, List.of());
    }

    /** The same on these workers alone, from the next stage on; without any, on all. */
    public NextStage onWorkers(String... ids) {
      return new NextStage(stage, context, priority, List.of(ids), creates);
    }

    /** The same with this head start, from the next stage on. */
    public NextStage withPriority(int seconds) {
      return new NextStage(stage, context, seconds, workerIds, creates);
    }

    /** As {@link Done#andCreate}. */
    public NextStage andCreate(NewTask... tasks) {
      return new NextStage(stage, context, priority, workerIds, plus(creates, tasks));
    }
  }

  /**
   * @param result written as JSON unless it is a string; {@code null} for none
   * @param creates at most {@value Report#MOST_CREATES} tasks that are created in the transaction
   *     that accepts the report of this run: together with it or not at all, and once
   */
  record Done(Object result, List<NewTask> creates) implements StageResult {
    public Done {
      creates = checked(creates);
    }

    /**
     * The same with further tasks, which are created if and when the server accepts the report of
     * this run. They need no idempotency key.
     *
     * @throws IllegalArgumentException if these are more than {@value Report#MOST_CREATES}
     */
    public Done andCreate(NewTask... tasks) {
      return new Done(result, plus(creates, tasks));
    }
  }

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
   * @param creates as in {@link Done}
   */
  record Fail(String reason, List<NewTask> creates) implements StageResult {
    public Fail {
      creates = checked(creates);
    }

    /** As {@link Done#andCreate}. */
    public Fail andCreate(NewTask... tasks) {
      return new Fail(reason, plus(creates, tasks));
    }
  }

  /**
   * @param delay until the stage is due again, at most ten years; a negative one counts as zero
   */
  record Snooze(Duration delay) implements StageResult {
    public Snooze {
      delay = Delays.checked(Objects.requireNonNull(delay, "delay"));
    }
  }

  private static List<NewTask> plus(List<NewTask> tasks, NewTask... more) {
    return Stream.concat(tasks.stream(), Stream.of(more)).toList();
  }

  private static List<NewTask> checked(List<NewTask> creates) {
    if (creates.size() > Report.MOST_CREATES) {
      throw new IllegalArgumentException(
          "a result creates at most " + Report.MOST_CREATES + " tasks, not " + creates.size());
    }
    return List.copyOf(creates);
  }
}
