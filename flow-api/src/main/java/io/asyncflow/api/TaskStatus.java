package io.asyncflow.api;

import java.util.EnumSet;
import java.util.Set;

/** The statuses of a task. The codes are bits, so that a list filter can name several statuses. */
public enum TaskStatus {
  /** Not held; due from its order time on. */
  WAITING(1),
  /** Held by a worker under a lease. */
  EXECUTING(2),
  /** Succeeded; its result is stored. */
  SUCCESS(4),
  /** Failed for good: the retries are exhausted, its handler failed it, or it is poison. */
  FAILED(8),
  /** Cancelled by an operator. */
  CANCELLED(16),
  /** Paused: it would wait, but cannot be held before it is resumed. */
  PAUSED(32);

  private static final int ALL_BITS = 63;

  private final int code;

  TaskStatus(int code) {
    this.code = code;
  }

  /** The bit of this status in SQL and JSON. */
  public int code() {
    return code;
  }

  /** Whether the task has ended; only an operator's act leaves such a status. */
  public boolean isFinal() {
    return switch (this) {
      case WAITING, EXECUTING, PAUSED -> false;
      case SUCCESS, FAILED, CANCELLED -> true;
    };
  }

  /**
   * The status with this code.
   *
   * @throws IllegalArgumentException if no status has it
   */
  public static TaskStatus ofCode(int code) {
    for (TaskStatus status : values()) {
      if (status.code == code) {
        return status;
      }
    }
    throw new IllegalArgumentException("no task status has the code " + code);
  }

  /**
   * The statuses whose bits are set in {@code bits}; never empty.
   *
   * @throws IllegalArgumentException if no bit or an unknown bit is set
   */
  public static Set<TaskStatus> ofBits(int bits) {
    if (bits <= 0 || (bits & ~ALL_BITS) != 0) {
      throw new IllegalArgumentException("not an OR of status bits: " + bits);
    }
    Set<TaskStatus> statuses = EnumSet.noneOf(TaskStatus.class);
    for (TaskStatus status : values()) {
      if ((bits & status.code) != 0) {
        statuses.add(status);
      }
    }
    return statuses;
  }
}
