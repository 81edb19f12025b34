package io.asyncflow.flowsvr.task;

import io.asyncflow.api.TaskStatus;

/** What a transition makes of a row, for tests outside of this package. */
public record Became(
    TaskStatus status,
    String stage,
    int priority,
    long orderTime,
    int crtRetryNum,
    int deliveryCount,
    int reportedEpoch,
    String reportId,
    String context,
    String result,
    String scheduleLog) {

  public static Became of(TaskTransition to) {
    return new Became(
        to.status,
        to.stage,
        to.priority,
        to.orderTime,
        to.crtRetryNum,
        to.deliveryCount,
        to.reportedEpoch,
        to.reportId,
        to.context,
        to.result,
        to.scheduleLog);
  }
}
