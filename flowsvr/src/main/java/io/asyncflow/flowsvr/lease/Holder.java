package io.asyncflow.flowsvr.lease;

import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import java.time.Duration;

/**
 * Who holds tasks by one hold.
 *
 * @param workerId empty for an old client
 * @param traceId made for this hold, 32 hexadecimal digits
 */
record Holder(String workerId, String traceId) {

  /** How long the lease lasts that a hold grants; an old client cannot renew it. */
  Duration firstLease(TaskTypeConfig type) {
    return workerId.isEmpty() ? type.maxProcessingTime() : firstLeaseOfWorkers(type);
  }

  /** The same, of holders that can renew it. */
  static Duration firstLeaseOfWorkers(TaskTypeConfig type) {
    Duration hardEnd = type.maxProcessingTime();
    return type.lease().compareTo(hardEnd) > 0 ? hardEnd : type.lease();
  }
}
