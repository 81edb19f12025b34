package io.asyncflow.rules;

import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import io.asyncflow.api.HeartbeatAnswer.State;
import io.asyncflow.api.TaskStatus;
import java.time.Duration;

/**
 * How long leases last, how heartbeats renew them, and the answer to a heartbeat. Pure functions.
 */
public final class Leases {

  private Leases() {}

  /**
   * The length of the lease that a hold grants.
   *
   * @param workerId empty for an old client, which cannot renew it. It has a task of a resident
   *     type only if the type became one while its hold was parked
   */
  public static Duration first(String workerId, TypeRules type) {
    return workerId.isEmpty() && !type.isResident()
        ? type.maxProcessingTime()
        : firstOfWorkers(type);
  }

  /**
   * The length of the lease that a hold grants to a worker that lays tasks into a queue of its own,
   * and says of none when it begins: the time in the queue, and then an attempt.
   */
  public static Duration ofQueue(Duration queueTime, TypeRules type) {
    return first("", type).plus(queueTime);
  }

  /** When the attempt has to be over, epoch ms; of an old client, its lease may last longer. */
  public static long hardEnd(TaskRow row, TypeRules type) {
    return Math.max(row.leaseEnd(), endOfAttempt(row, type));
  }

  static long endOfAttempt(TaskRow row, TypeRules type) {
    return row.holdTime() + type.maxProcessingTime().toMillis();
  }

  /** The length of the first lease of a worker, which can renew it. */
  public static Duration firstOfWorkers(TypeRules type) {
    Duration hardEnd = type.maxProcessingTime();
    return type.lease().compareTo(hardEnd) > 0 ? hardEnd : type.lease();
  }

  /**
   * The row after a heartbeat at {@code now}; the same instance if the lease cannot be renewed. A
   * lease that has run out can be renewed until a sweep ends the hold. No lease lasts beyond the
   * hard end of the attempt.
   *
   * @param now epoch ms
   */
  public static TaskRow renewed(
      TaskRow row, HeldTask beat, String workerId, TypeRules type, long now) {
    long hardEnd = endOfAttempt(row, type);
    boolean isHeld =
        row.status() == TaskStatus.EXECUTING
            && row.leaseEpoch() == beat.leaseEpoch()
            && row.workerId().equals(workerId);
    if (!isHeld || hardEnd <= now) {
      return row;
    }
    return row.copy()
        .beatTime(now)
        .leaseEnd(Math.min(now + type.lease().toMillis(), hardEnd))
        .progress(beat.progress() == null ? row.progress() : beat.progress())
        .row();
  }

  /**
   * The answer to a heartbeat for one task, after the renewal.
   *
   * @param isHolders whether the heartbeat names the last hold of the task
   * @param leaseMs milliseconds until the lease ends; negative if it has run out
   */
  public static LeaseState told(HeldTask beat, boolean isHolders, TaskStatus status, long leaseMs) {
    if (isHolders && status == TaskStatus.EXECUTING && leaseMs > 0) {
      return new LeaseState(beat.taskId(), beat.leaseEpoch(), State.EXTENDED, leaseMs);
    }
    State state = isHolders && status == TaskStatus.CANCELLED ? State.CANCEL : State.LOST;
    return new LeaseState(beat.taskId(), beat.leaseEpoch(), state, 0);
  }
}
