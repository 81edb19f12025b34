package io.asyncflow.rules.field;

import java.util.Set;

/** Checks a task to be created, in the order of the server's form. */
public final class SentTask {

  /** Before this moment a {@code runAt} looks like seconds. */
  private static final long LEAST_EPOCH_MS = 100_000_000_000L;

  private SentTask() {}

  /**
   * Refuses what the task may not hold.
   *
   * @param now epoch ms. Under a clock that stands in the first years, any time is a {@code runAt}
   * @return the workers that may hold it; empty for all
   */
  public static Set<String> check(SentFields in, long now) {
    TaskFields.idempotencyKey(in);
    if (TaskFields.hasKey(in)) {
      TaskFields.onDuplicate(in);
      TaskFields.keyMs(in);
      TaskFields.keyUntilDone(in);
    }
    return checkWithoutKey(in, now);
  }

  /** The same, but ignores the key and its options. */
  public static Set<String> checkWithoutKey(SentFields in, long now) {
    TaskFields.taskType(in);
    TaskFields.userId(in);
    TaskFields.taskStage(in);
    TaskFields.scheduleLog(in);
    TaskFields.taskContext(in);
    TaskFields.priority(in);
    Long delayMs = TaskFields.delayMs(in);
    Long runAt = now < LEAST_EPOCH_MS ? in.number("runAt").asLong() : TaskFields.runAt(in);
    TaskFields.maxRetryNum(in);
    TaskFields.maxRetryInterval(in);
    TaskFields.maxUnexpectedRetries(in);
    Set<String> workers = TaskFields.workerIds(in);
    TaskFields.refuseTwoTimes(in, delayMs, runAt);
    return workers;
  }
}
