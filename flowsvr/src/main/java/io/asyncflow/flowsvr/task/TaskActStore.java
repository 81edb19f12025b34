package io.asyncflow.flowsvr.task;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.event.log.EventLog;
import io.asyncflow.flowsvr.pulse.TaskPulse;
import io.asyncflow.flowsvr.system.db.AfterCommit;
import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.rules.TaskActs;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Writes what is done to tasks from outside of their holds, by operators, jobs, schedules and
 * creates, to rows that the caller has locked.
 *
 * <p>Every method runs in the caller's transaction, if there is one, and is one statement unless
 * stated otherwise. Thread-safe.
 */
@Component
public class TaskActStore {

  private static final TableSql FORCE =
      new TableSql(
          """
          UPDATE %s FORCE INDEX (PRIMARY)
          SET status = :status,
              modify_time = now_ms
          WHERE id IN (:ids)
          """);

  // report_id before reported_epoch, which it reads: assignments are evaluated from left to right.
  private static final TableSql REVIVE =
      new TableSql(
          """
          UPDATE %s
          SET status = 1,
              order_time = :orderTime,
              crt_retry_num = 0,
              unexpected_num = 0,
              delivery_count = 0,
              report_id = IF(reported_epoch = lease_epoch, report_id, NULL),
              reported_epoch = lease_epoch,
              lane = :lane,
              progress = NULL,
              result = NULL,
              modify_time = now_ms
          WHERE id = :id
            AND status = :from
            AND lease_epoch = :epoch
          """);

  private static final TableSql REDIRECT =
      new TableSql(
          """
          UPDATE %s
          SET status = :status,
              lane = :lane,
              order_time = :orderTime,
              reported_epoch = :reportedEpoch,
              report_id = :reportId,
              schedule_log = COALESCE(:log, schedule_log),
              modify_time = now_ms
          WHERE id = :id
            AND status = :from
            AND lease_epoch = :epoch
          """);

  private static final TableSql RESCHEDULE =
      new TableSql(
          """
          UPDATE %s
          SET priority = :priority,
              order_time = :orderTime,
              modify_time = now_ms
          WHERE id = :id
            AND status = 1
            AND lease_epoch = :epoch
          """);

  // report_id before reported_epoch, as in REVIVE.
  private static final TableSql RENEW =
      new TableSql(
          """
          UPDATE %s
          SET status = 1,
              lane = :lane,
              user_id = :user,
              task_stage = :stage,
              priority = :priority,
              order_time = COALESCE(:runAt, now_ms + :dueIn),
              crt_retry_num = 0,
              max_retry_num = :maxRetryNum,
              max_retry_interval = :maxRetryInterval,
              unexpected_num = 0,
              max_unexpected_retries = :maxUnexpectedRetries,
              delivery_count = 0,
              report_id = IF(reported_epoch = lease_epoch, report_id, NULL),
              reported_epoch = lease_epoch,
              progress = NULL,
              task_context = :context,
              result = NULL,
              schedule_log = COALESCE(:log, schedule_log),
              trace_parent = :traceParent,
              modify_time = now_ms
          WHERE id = :id
            AND status = :from
            AND lease_epoch = :epoch
          """);

  // A late report of a hold from before the pause is refused.
  private static final TableSql PAUSE =
      new TableSql(
          """
          UPDATE %s FORCE INDEX (PRIMARY)
          SET status = :status,
              report_id = IF(reported_epoch = lease_epoch, report_id, NULL),
              reported_epoch = lease_epoch,
              modify_time = now_ms
          WHERE id IN (:ids)
            AND status = 1
          """);

  private static final TableSql RESUME =
      new TableSql(
          """
          UPDATE %s FORCE INDEX (PRIMARY)
          SET status = :status,
              modify_time = now_ms
          WHERE id IN (:ids)
            AND status = 32
          """);

  private static final TableSql LEAVE_JOB =
      new TableSql(
          """
          UPDATE %s FORCE INDEX (PRIMARY)
          SET job_id = NULL,
              job_index = NULL
          WHERE id IN (:ids)
          """);

  private final JdbcClient jdbc;
  private final List<TaskLedger> ledgers;
  private final EventLog events;
  private final TaskPulse pulse;

  TaskActStore(JdbcClient jdbc, List<TaskLedger> ledgers, EventLog events, TaskPulse pulse) {
    this.jdbc = jdbc;
    this.ledgers = ledgers;
    this.events = events;
    this.pulse = pulse;
  }

  /**
   * Sets a final status by an operator's act. Epoch and worker stay, so that heartbeats can tell
   * the holder of a cancelled task.
   */
  public void force(TaskRow row, TaskStatus status) {
    force(List.of(row), status);
  }

  /**
   * The same for several tasks, one statement a table.
   *
   * @param rows rows that the caller has locked
   */
  public void force(List<TaskRow> rows, TaskStatus status) {
    EventKind kind =
        switch (status) {
          case SUCCESS -> EventKind.SUCCESS;
          case FAILED -> EventKind.FAILED;
          case CANCELLED -> EventKind.CANCELLED;
          case WAITING, EXECUTING, PAUSED ->
              throw new IllegalArgumentException(status + " is not final");
        };
    move(FORCE, rows, status, kind);
    AfterCommit.run(() -> rows.forEach(row -> pulse.forced(row, status)));
  }

  /**
   * Sets a task to waiting with all its retries. Reports of earlier holds are refused, but a
   * repeated accepted report is still recognized.
   */
  public void revive(TaskRow row) {
    revive(List.of(row));
  }

  /**
   * The same for several tasks, one statement each.
   *
   * @param rows rows that the caller has locked, in the order of their ids
   */
  public void revive(List<TaskRow> rows) {
    revive(rows, TaskRow::lane);
  }

  /** The same for other workers, those of a lane. */
  public void reviveInLane(TaskRow row, String lane) {
    revive(List.of(row), revived -> lane);
  }

  private void revive(List<TaskRow> rows, Function<TaskRow, String> lane) {
    rows.forEach(row -> reviveOne(row, lane.apply(row)));
    tell(rows.stream().map(row -> TaskLedger.Change.of(row, TaskStatus.WAITING)).toList());
    rows.forEach(row -> events.addTask(EventKind.REVIVED, TaskActs.revived(row), null));
  }

  private void reviveOne(TaskRow row, String lane) {
    jdbc.sql(REVIVE.of(row.id().table()))
        .param("orderTime", TaskActs.revived(row).orderTime())
        .param("lane", lane)
        .param("id", row.id().number())
        .param("from", row.status().code())
        .param("epoch", row.leaseEpoch())
        .update();
  }

  /**
   * Writes the lane of a task, and the end of its last hold if an operator ends it.
   *
   * @param before the row that the caller has locked
   * @param after the row after the act: waiting, executing or paused
   */
  public void redirect(TaskRow before, TaskRow after) {
    jdbc.sql(REDIRECT.of(before.id().table()))
        .param("status", after.status().code())
        .param("lane", after.lane())
        .param("orderTime", after.orderTime())
        .param("reportedEpoch", after.reportedEpoch())
        .param("reportId", after.reportId())
        .param("log", TransitionStore.unlessSame(after.scheduleLog(), before.scheduleLog()))
        .param("id", before.id().number())
        .param("from", before.status().code())
        .param("epoch", before.leaseEpoch())
        .update();
    tell(List.of(TaskLedger.Change.of(before, after.status())));
    if (after.status() != before.status()) {
      EventKind kind = after.status() == TaskStatus.PAUSED ? EventKind.PAUSED : EventKind.REVOKED;
      events.addTask(kind, after, null);
    }
  }

  /**
   * Writes when a waiting task is due, and its priority.
   *
   * @param before the row that the caller has locked
   */
  public void reschedule(TaskRow before, TaskRow after) {
    jdbc.sql(RESCHEDULE.of(before.id().table()))
        .param("priority", after.priority())
        .param("orderTime", after.orderTime())
        .param("id", before.id().number())
        .param("epoch", before.leaseEpoch())
        .update();
  }

  /**
   * Sets a waiting or final task to waiting with a new body and all its retries. Reports of earlier
   * holds are refused, but a repeated accepted report is still recognized. The log stays, unless
   * the body has one.
   *
   * @param row a row that the caller has locked
   * @param lane of the new body
   */
  public void renew(TaskRow row, TaskDraft body, String lane) {
    jdbc.sql(RENEW.of(row.id().table()))
        .param("lane", lane)
        .param("user", body.userId())
        .param("stage", body.stage())
        .param("priority", body.head())
        .param("runAt", body.runAt())
        .param("dueIn", body.dueIn())
        .param("maxRetryNum", body.maxRetryNum())
        .param("maxRetryInterval", body.maxRetryInterval())
        .param("maxUnexpectedRetries", body.maxUnexpectedRetries())
        .param("context", Objects.requireNonNullElse(body.context(), ""))
        .param("log", body.scheduleLog())
        .param("traceParent", body.traceParent())
        .param("id", row.id().number())
        .param("from", row.status().code())
        .param("epoch", row.leaseEpoch())
        .update();
    tell(List.of(TaskLedger.Change.of(row, TaskStatus.WAITING)));
    events.addTask(
        row.status() == TaskStatus.WAITING ? EventKind.REPLACED : EventKind.REVIVED,
        row.renewed(body.waiting(row.id(), null)),
        null);
  }

  /**
   * Pauses tasks, one statement a table; each keeps its stage and its order time.
   *
   * @param rows waiting rows that the caller has locked
   */
  public void pause(List<TaskRow> rows) {
    move(PAUSE, rows, TaskStatus.PAUSED, EventKind.PAUSED);
  }

  /**
   * Lets paused tasks wait again, one statement a table.
   *
   * @param rows paused rows that the caller has locked
   */
  public void resume(List<TaskRow> rows) {
    move(RESUME, rows, TaskStatus.WAITING, EventKind.RESUMED);
  }

  private void move(TableSql statement, List<TaskRow> rows, TaskStatus status, EventKind kind) {
    Map<TaskTable, List<Long>> numbers = new TreeMap<>();
    for (TaskRow row : rows) {
      numbers.computeIfAbsent(row.id().table(), t -> new ArrayList<>()).add(row.id().number());
    }
    numbers.forEach(
        (table, ids) ->
            jdbc.sql(statement.of(table))
                .param("status", status.code())
                .param("ids", ids)
                .update());
    tell(rows.stream().map(row -> TaskLedger.Change.of(row, status)).toList());
    rows.stream()
        .filter(row -> row.status() != status)
        .forEach(row -> events.addTask(kind, row.copy().status(status).row(), null));
  }

  /** Removes tasks that were replaced in their job from it. */
  public void leaveJob(TaskTable table, Collection<Long> numbers) {
    jdbc.sql(LEAVE_JOB.of(table)).param("ids", numbers).update();
  }

  private void tell(List<TaskLedger.Change> changes) {
    ledgers.forEach(ledger -> ledger.record(changes));
  }
}
