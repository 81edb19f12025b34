package io.asyncflow.api.event;

import java.util.Arrays;
import java.util.Optional;

/** What happened to a task, a job, a schedule or a hook. */
public enum EventKind {
  /** A task was created and waits. */
  CREATED(1, false),
  /** A worker holds the task. */
  HELD(2, false),
  /** A hold ended, and the task waits for its next stage. */
  NEXT_STAGE(3, false),
  /** An attempt failed, and the task waits for the next one. */
  RETRY(4, false),
  /** A worker put the task off. */
  SNOOZE(5, false),
  /** A worker handed the task back unfinished. */
  RELEASED(6, false),
  /** A hold ended because its worker was silent; the task waits again. */
  WORKER_LOST(7, false),
  /** A hold ended because the attempt took too long; the task waits again. */
  TIMED_OUT(8, false),
  /** An operator ended the hold; the task waits again. */
  REVOKED(9, false),
  /** The task or the job was paused. */
  PAUSED(10, false),
  /** The task or the job was resumed. */
  RESUMED(11, false),
  /** A task that had ended waits again. */
  REVIVED(12, false),
  /** A create with the key of a waiting task gave it another body. */
  REPLACED(13, false),
  /** The task has succeeded. */
  SUCCESS(14, true),
  /** The task has failed. */
  FAILED(15, true),
  /** The task has failed, because too many holds in a row ended without a report. */
  POISON(16, true),
  /** The task was cancelled. */
  CANCELLED(17, true),
  /** A job has another state. */
  JOB_STATE(18, true),
  /** A schedule has another state. */
  SCHEDULE_STATE(19, true),
  /** A hook was disabled, because its endpoint is gone or does nothing but fail. */
  HOOK_DISABLED(20, true);

  private final int code;
  private final boolean isEnd;

  EventKind(int code, boolean isEnd) {
    this.code = code;
    this.isEnd = isEnd;
  }

  /** The kind's number in the database. */
  public int code() {
    return code;
  }

  /** The kind with this number; empty for one of a later version. */
  public static Optional<EventKind> ofCode(int code) {
    return Arrays.stream(values()).filter(kind -> kind.code == code).findFirst();
  }

  /**
   * Whether a type that writes only ends writes it: ends of tasks, and all states of jobs and
   * schedules.
   */
  public boolean isEnd() {
    return isEnd;
  }
}
