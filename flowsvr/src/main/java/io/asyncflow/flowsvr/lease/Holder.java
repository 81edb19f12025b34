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
    Duration hardEnd = type.maxProcessingTime();
    if (workerId.isEmpty() || type.lease().compareTo(hardEnd) > 0) {
      return hardEnd;
    }
    return type.lease();
  }
}
