package io.asyncflow.flowsvr.task;

import io.asyncflow.api.TaskStatus;

/**
 * The one way in which a held task changes: what its row was, which is the guard, and what it
 * becomes.
 *
 * <p>Starts as "only the status and the log change"; the methods say what else does. Built and
 * written by one thread.
 */
public final class TaskTransition {

  final TaskRow row;
  final TaskStatus status;
  final String scheduleLog;
  String stage;
  int priority;
  long orderTime;
  int crtRetryNum;
  int deliveryCount;
  int reportedEpoch;
  String reportId;
  String context;
  String result;

  private TaskTransition(TaskRow row, TaskStatus status, String scheduleLog) {
    if (row.status().isFinal()) {
      throw new IllegalArgumentException(row.id() + " is " + row.status() + ", which is final");
    }
    this.row = row;
    this.status = status;
    this.scheduleLog = scheduleLog;
    this.stage = row.stage();
    this.priority = row.priority();
    this.orderTime = row.orderTime();
    this.crtRetryNum = row.crtRetryNum();
    this.deliveryCount = row.deliveryCount();
    this.reportedEpoch = row.reportedEpoch();
    this.reportId = row.reportId();
    this.context = row.context();
    this.result = row.result();
  }

  /**
   * @param row as it was read; what is written names it as its guard
   * @param scheduleLog what it says from now on
   * @throws IllegalArgumentException if the row's status is final
   */
  public static TaskTransition of(TaskRow row, TaskStatus status, String scheduleLog) {
    return new TaskTransition(row, status, scheduleLog);
  }

  /** Due at this epoch millisecond of the database's clock. */
  public TaskTransition dueAt(long newOrderTime) {
    this.orderTime = newOrderTime;
    return this;
  }

  /** Counts the failures of the current stage. */
  public TaskTransition withFailures(int failures) {
    this.crtRetryNum = failures;
    return this;
  }

  /** Counts the holds in a row that ended with no accepted report. */
  public TaskTransition withDeliveries(int deliveries) {
    this.deliveryCount = deliveries;
    return this;
  }

  public TaskTransition withResult(String newResult) {
    this.result = newResult;
    return this;
  }

  /** Hands over to a stage, whose failures are counted anew. */
  public TaskTransition toStage(String newStage, String newContext, int newPriority) {
    this.stage = newStage;
    this.context = newContext;
    this.priority = newPriority;
    this.crtRetryNum = 0;
    return this;
  }

  /**
   * Closes the hold by its accepted report.
   *
   * @param newReportId {@code null} if it will not be repeated
   */
  public TaskTransition reportedAs(String newReportId) {
    this.reportedEpoch = row.leaseEpoch();
    this.reportId = newReportId;
    this.deliveryCount = 0;
    return this;
  }

  public TaskRow row() {
    return row;
  }

  public TaskStatus status() {
    return status;
  }

  public long orderTime() {
    return orderTime;
  }

  /** The row as it is once this is written, as far as a further report is judged by it. */
  public TaskRow rowAfter() {
    return row.reported(status, reportedEpoch, reportId);
  }

  JobLedger.Change change() {
    return new JobLedger.Change(
        row.id(), row.place(), row.status(), status, row.leaseEpoch(), result, scheduleLog);
  }

  /** Whether the task has failed for good once this is committed. */
  public boolean makesFailed() {
    return status == TaskStatus.FAILED;
  }

  /** Whether somebody may hold the task once this is committed. */
  public boolean makesWaiting() {
    return status == TaskStatus.WAITING;
  }
}
