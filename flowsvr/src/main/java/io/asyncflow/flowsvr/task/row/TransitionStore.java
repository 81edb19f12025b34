package io.asyncflow.flowsvr.task.row;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.NOW_MS;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;

import io.asyncflow.flowsvr.base.pulse.TaskPulse;
import io.asyncflow.flowsvr.base.system.db.AfterCommit;
import io.asyncflow.flowsvr.base.system.db.StatementGroups;
import io.asyncflow.flowsvr.base.system.db.StatementValues;
import io.asyncflow.flowsvr.task.event.log.EventLog;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.springframework.dao.IncorrectUpdateSemanticsDataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Writes what becomes of tasks: the ends of holds, and what is done to tasks from outside of their
 * holds, by operators, jobs, schedules, creates and old clients. A statement writes the columns
 * that differ between the rows before and after, many rows at a time, each guarded by what was
 * read.
 *
 * <p>Every method runs in the caller's transaction, if there is one, and is one statement unless
 * stated otherwise. Thread-safe.
 */
@Component
public class TransitionStore {

  /** A value that is sent with each row. */
  private record Column(String name, Function<TaskRow, Object> value) {

    boolean changesIn(TaskTransition transition) {
      return !Objects.equals(value.apply(transition.before()), value.apply(transition.after()));
    }

    boolean isClearedIn(TaskTransition transition) {
      return value.apply(transition.after()) == null && value.apply(transition.before()) != null;
    }
  }

  /**
   * The most transitions in one statement; with the longest logs it stays below any
   * max_allowed_packet.
   */
  public static final int MAX_TRANSITIONS_PER_STATEMENT = 100;

  /** The columns that identify the row and guard against a change since it was read. */
  private static final List<Column> GUARDS =
      List.of(
          new Column("id", row -> row.id().number()),
          new Column("from_status", row -> row.status().code()),
          new Column("from_epoch", TaskRow::leaseEpoch),
          new Column("from_time", TaskRow::modifyTime));

  /** Small columns. Those that change in any row of a statement are written in all. */
  private static final List<Column> VALUES =
      List.of(
          new Column("status", row -> row.status().code()),
          new Column("reported_epoch", TaskRow::reportedEpoch),
          new Column("report_id", TaskRow::reportId),
          new Column("user_id", TaskRow::userId),
          new Column("task_stage", TaskRow::stage),
          new Column("priority", TaskRow::priority),
          new Column("order_time", TaskRow::orderTime),
          new Column("crt_retry_num", TaskRow::crtRetryNum),
          new Column("max_retry_num", TaskRow::maxRetryNum),
          new Column("max_retry_interval", TaskRow::maxRetryInterval),
          new Column("unexpected_num", TaskRow::unexpectedNum),
          new Column("max_unexpected_retries", TaskRow::maxUnexpectedRetries),
          new Column("delivery_count", TaskRow::deliveryCount),
          new Column("end_kind", row -> row.endedByOperator() ? 1 : 0),
          new Column("lane", TaskRow::lane),
          new Column("progress", TaskRow::progress),
          new Column("trace_parent", TaskRow::traceParent));

  /** Columns that may be long: an unchanged text is sent as NULL, and kept. */
  private static final List<Column> TEXTS =
      List.of(
          new Column("schedule_log", TaskRow::scheduleLog),
          new Column("task_context", TaskRow::context),
          new Column("result", TaskRow::result));

  /** The end of a hold, which only one report or sweep writes. */
  private static final String OF_HOLD = "\n  AND t.reported_epoch < v.from_epoch";

  private static final TableSql LEAVE_JOB =
      new TableSql(
          """
          UPDATE %s FORCE INDEX (PRIMARY)
          SET job_id = NULL,
              job_index = NULL
          WHERE id IN (:ids)
          """);

  private final JdbcTemplate jdbc;
  private final List<TaskLedger> ledgers;
  private final EventLog events;
  private final TaskPulse pulse;

  TransitionStore(JdbcTemplate jdbc, List<TaskLedger> ledgers, EventLog events, TaskPulse pulse) {
    this.jdbc = jdbc;
    this.ledgers = ledgers;
    this.events = events;
    this.pulse = pulse;
  }

  /**
   * Writes the ends of holds, each only if its row has not changed since the transition was
   * decided: same status, epoch and modification time, and this epoch has not reported.
   *
   * @param transitions in the order of the rows' ids, at most {@value
   *     #MAX_TRANSITIONS_PER_STATEMENT}; none that {@linkplain #needsLock needed a lock} when the
   *     caller asked: events that their type keeps since then are left out
   * @return the number of rows written; which ones is unknown if it is less than all
   */
  public int applyIfUnchanged(TaskTable table, List<TaskTransition> transitions) {
    if (transitions.stream().anyMatch(transition -> transition.before().isLedgered())) {
      throw new IllegalArgumentException("ledgered tasks are written under a lock");
    }
    requireHolds(transitions);
    return write(table, transitions, OF_HOLD);
  }

  /**
   * Whether more is written with the transition than its row, so that it must be known which rows
   * are written: its task is {@linkplain TaskRow#isLedgered ledgered}, or it leaves an event.
   */
  public boolean needsLock(TaskTransition transition) {
    return transition.before().isLedgered()
        || events.keeps(transition.after().id().type(), transition.kind());
  }

  /**
   * Writes the ends of holds of rows that the caller has locked, each with the guard of {@link
   * #applyIfUnchanged}, in one or more statements a table.
   *
   * @param transitions in the order of the rows' ids
   * @throws IncorrectUpdateSemanticsDataAccessException if a row was not written although it was
   *     locked; this is a bug, and nothing must be committed
   */
  public void apply(List<TaskTransition> transitions) {
    requireHolds(transitions);
    writeLocked(transitions, OF_HOLD);
    record(transitions);
  }

  private static void requireHolds(List<TaskTransition> transitions) {
    for (TaskTransition transition : transitions) {
      TaskRow row = transition.before();
      if (row.status().isFinal()) {
        throw new IllegalArgumentException(row.id() + " is " + row.status() + ", which is final");
      }
    }
  }

  /**
   * Writes what is done to tasks from outside of their holds, in one or more statements a table.
   * Counts the statuses that are forced after the commit.
   *
   * @param changes of rows that the caller has locked, in the order of their ids
   * @throws IncorrectUpdateSemanticsDataAccessException as {@link #apply}
   */
  public void change(List<TaskTransition> changes) {
    writeLocked(changes, "");
    record(changes);
    AfterCommit.run(
        () -> changes.forEach(change -> pulse.forced(change.before(), change.after().status())));
  }

  /** Removes tasks that were replaced in their job from it. */
  public void leaveJob(TaskTable table, Collection<Long> numbers) {
    JdbcClient.create(jdbc).sql(LEAVE_JOB.of(table)).param("ids", numbers).update();
  }

  private void writeLocked(List<TaskTransition> transitions, String guard) {
    transitions.stream()
        .collect(groupingBy(change -> change.before().id().table(), TreeMap::new, toList()))
        .forEach((table, ofTable) -> writeLocked(table, ofTable, guard));
  }

  private void writeLocked(TaskTable table, List<TaskTransition> transitions, String guard) {
    for (List<TaskTransition> group :
        StatementGroups.of(transitions, MAX_TRANSITIONS_PER_STATEMENT)) {
      int changed = write(table, group, guard);
      if (changed != group.size()) {
        throw new IncorrectUpdateSemanticsDataAccessException(
            changed + " of " + group.size() + " locked tasks changed in " + table);
      }
    }
  }

  private void record(List<TaskTransition> written) {
    ledgers.forEach(ledger -> ledger.record(written));
    written.stream()
        .filter(transition -> transition.kind() != null)
        .forEach(
            transition ->
                events.addTask(transition.kind(), transition.after(), transition.errMsg()));
  }

  private int write(TaskTable table, List<TaskTransition> transitions, String guard) {
    List<Column> values = new ArrayList<>();
    List<Column> texts = new ArrayList<>();
    VALUES.stream().filter(column -> changes(column, transitions)).forEach(values::add);
    for (Column text : TEXTS) {
      if (transitions.stream().anyMatch(text::isClearedIn)) {
        values.add(text);
      } else if (changes(text, transitions)) {
        texts.add(text);
      }
    }
    List<Object> sent = new ArrayList<>();
    for (TaskTransition transition : transitions) {
      GUARDS.forEach(column -> sent.add(column.value().apply(transition.before())));
      values.forEach(column -> sent.add(column.value().apply(transition.after())));
      texts.forEach(
          text ->
              sent.add(text.changesIn(transition) ? text.value().apply(transition.after()) : null));
    }
    List<Column> columns = new ArrayList<>(GUARDS);
    columns.addAll(values);
    columns.addAll(texts);
    // STRAIGHT_JOIN: from the values to the rows, in their order, never the other way round.
    String sql =
        """
        UPDATE (
        SELECT %s
        %s) v
        STRAIGHT_JOIN %s t FORCE INDEX (PRIMARY) ON t.id = v.id
        SET %s%s
            t.modify_time = %s
        WHERE t.status = v.from_status
          AND t.lease_epoch = v.from_epoch
          AND t.modify_time = v.from_time%s
        """
            .formatted(
                each(columns, ", ", "? AS %1$s"),
                ("UNION ALL SELECT ?" + ", ?".repeat(columns.size() - 1) + "\n")
                    .repeat(transitions.size() - 1),
                table.sqlName(),
                each(values, "", "t.%1$s = v.%1$s, "),
                each(texts, "", "t.%1$s = COALESCE(v.%1$s, t.%1$s), "),
                NOW_MS,
                guard);
    return jdbc.update(sql, new StatementValues(sent));
  }

  private static boolean changes(Column column, List<TaskTransition> transitions) {
    return transitions.stream().anyMatch(column::changesIn);
  }

  private static String each(List<Column> columns, String separator, String format) {
    return columns.stream()
        .map(column -> format.formatted(column.name()))
        .collect(joining(separator));
  }
}
