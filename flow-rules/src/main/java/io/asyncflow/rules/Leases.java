package io.asyncflow.rules;

import io.asyncflow.api.Heartbeat.HeldTask;
import io.asyncflow.api.HeartbeatAnswer.LeaseState;
import io.asyncflow.api.HeartbeatAnswer.State;
import io.asyncflow.api.TaskStatus;
import java.time.Duration;

/** How long leases last, and what a heartbeat is told of them. Pure functions. */
public final class Leases {

  private Leases() {}

  /**
   * How long the lease lasts that a hold grants.
   *
   * @param workerId empty for an old client, which cannot renew it
   */
  public static Duration first(String workerId, TypeRules type) {
    return workerId.isEmpty() ? type.maxProcessingTime() : firstOfWorkers(type);
  }

  /** The same, for holders that can renew it. */
  public static Duration firstOfWorkers(TypeRules type) {
    Duration hardEnd = type.maxProcessingTime();
    return type.lease().compareTo(hardEnd) > 0 ? hardEnd : type.lease();
  }

  /**
   * The row after a heartbeat of its holder that came at {@code now}; the same row if the lease
   * cannot be renewed. A lease that has run out is renewed as long as no sweep has given the task
   * away, and none goes past the hard end of the attempt.
   *
   * @param now epoch ms
   */
  public static TaskRow renewed(
      TaskRow row, HeldTask beat, String workerId, TypeRules type, long now) {
    long hardEnd = row.holdTime() + type.maxProcessingTime().toMillis();
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
   * What the holder of a task is told by a heartbeat, after the renewal.
   *
   * @param isHolders whether the last hold of the task is the one that the heartbeat names
   * @param leaseMs what is left of the lease; negative if it has run out
   */
  public static LeaseState told(HeldTask beat, boolean isHolders, TaskStatus status, long leaseMs) {
    if (isHolders && status == TaskStatus.EXECUTING && leaseMs > 0) {
      return new LeaseState(beat.taskId(), beat.leaseEpoch(), State.EXTENDED, leaseMs);
    }
    State state = isHolders && status == TaskStatus.CANCELLED ? State.CANCEL : State.LOST;
    return new LeaseState(beat.taskId(), beat.leaseEpoch(), state, 0);
  }
}
