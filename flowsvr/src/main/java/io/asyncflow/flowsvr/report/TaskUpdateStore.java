package io.asyncflow.flowsvr.report;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.flowsvr.event.log.EventLog;
import io.asyncflow.flowsvr.task.TaskLedger;
import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.rules.Leases;
import io.asyncflow.rules.RetryPolicy;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTransition;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The statement of old clients' updates. */
@Component
class TaskUpdateStore {

  private static final TableSql UPDATE =
      new TableSql(
          """
          UPDATE %s
          SET status = :status,
              user_id = COALESCE(:user, user_id),
              unexpected_num = IF(:movesStage, 0, unexpected_num),
              task_stage = COALESCE(:stage, task_stage),
              task_context = COALESCE(:context, task_context),
              schedule_log = COALESCE(:log, schedule_log),
              priority = COALESCE(:priority, priority),
              order_time = :orderTime,
              crt_retry_num = COALESCE(:crtRetryNum, crt_retry_num),
              max_retry_num = COALESCE(:maxRetryNum, max_retry_num),
              max_retry_interval = COALESCE(:maxRetryInterval, max_retry_interval),
              lease_end = IF(:renews, now_ms + :lease, lease_end),
              beat_time = IF(:renews, now_ms, beat_time),
              reported_epoch = IF(:endsHold, lease_epoch, reported_epoch),
              report_id = IF(:endsHold, NULL, report_id),
              delivery_count = IF(:endsHold, 0, delivery_count),
              modify_time = now_ms
          WHERE id = :id
            AND status = :from
            AND lease_epoch = :epoch
          """);

  private final JdbcClient jdbc;
  private final List<TaskLedger> ledgers;
  private final EventLog events;

  TaskUpdateStore(JdbcClient jdbc, List<TaskLedger> ledgers, EventLog events) {
    this.jdbc = jdbc;
    this.ledgers = ledgers;
    this.events = events;
  }

  /** Writes a partial update of a row that the caller has locked. */
  void update(TaskTransition change, TaskUpdate update, long orderTime, TaskTypeConfig type) {
    TaskRow row = change.before();
    TaskStatus status = change.after().status();
    boolean held = row.status() == TaskStatus.EXECUTING;
    RetryPolicy policy = row.retryPolicy(type);
    jdbc.sql(UPDATE.of(row.id().table()))
        .param("status", status.code())
        .param("user", update.userId())
        .param("stage", update.taskStage())
        .param("movesStage", update.taskStage() != null && !update.taskStage().equals(row.stage()))
        .param("context", update.taskContext())
        .param("log", update.scheduleLog())
        .param("priority", update.priority())
        .param("orderTime", orderTime)
        .param("crtRetryNum", update.crtRetryNum())
        .param("maxRetryNum", update.ownMaxRetryNum(policy))
        .param("maxRetryInterval", update.ownMaxRetryInterval(policy))
        .param("renews", held && update.status() == TaskStatus.EXECUTING)
        .param("lease", Leases.first("", type).toMillis())
        .param("endsHold", held && status != TaskStatus.EXECUTING)
        .param("id", row.id().number())
        .param("from", row.status().code())
        .param("epoch", row.leaseEpoch())
        .update();
    List<TaskLedger.Change> changes = List.of(TaskLedger.Change.of(row, status));
    ledgers.forEach(ledger -> ledger.record(changes));
    if (status != row.status()) {
      events.addTask(change.kind(), change.after(), change.errMsg());
    }
  }
}
