package io.asyncflow.flowsvr.task;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.NOW_MS;
import static java.util.stream.Collectors.joining;

import io.asyncflow.flowsvr.event.log.EventLog;
import io.asyncflow.flowsvr.system.db.StatementValues;
import io.asyncflow.rules.TaskRow;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.springframework.dao.IncorrectUpdateSemanticsDataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * Writes the ends of holds: guarded transitions of many rows at a time.
 *
 * <p>Every method runs in the caller's transaction, if there is one, and is one statement unless
 * stated otherwise. Thread-safe.
 */
@Component
public class TransitionStore {

  /**
   * A column of the values that transitions are written from.
   *
   * @param sent the expression of the sent value
   */
  private record Column(String name, String sent, Function<TaskTransition, Object> value) {

    Column(String name, Function<TaskTransition, Object> value) {
      this(name, "v." + name, value);
    }

    Object of(TaskTransition transition) {
      return value.apply(transition);
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
          new Column("id", transition -> transition.before().id().number()),
          new Column("from_status", transition -> transition.before().status().code()),
          new Column("from_epoch", transition -> transition.before().leaseEpoch()),
          new Column("from_time", transition -> transition.before().modifyTime()));

  private static final List<Column> ALWAYS_WRITTEN =
      List.of(
          new Column("status", transition -> transition.after().status().code()),
          new Column("reported_epoch", transition -> transition.after().reportedEpoch()),
          new Column("report_id", transition -> transition.after().reportId()),
          new Column("schedule_log", transition -> transition.after().scheduleLog()));

  /**
   * The columns with {@code null} for an unchanged value; a statement has those that change in any
   * of its rows.
   */
  private static final List<Column> WRITTEN_IF_CHANGED =
      List.of(
          new Column(
              "task_stage",
              transition -> unlessSame(transition.after().stage(), transition.before().stage())),
          new Column(
              "priority",
              transition ->
                  unlessSame(transition.after().priority(), transition.before().priority())),
          new Column(
              "order_time",
              transition ->
                  unlessSame(transition.after().orderTime(), transition.before().orderTime())),
          new Column(
              "crt_retry_num",
              transition ->
                  unlessSame(transition.after().crtRetryNum(), transition.before().crtRetryNum())),
          new Column(
              "lane",
              "CONVERT(v.lane USING ascii)", // the sent values are utf8mb4, which MySQL does not
              // mix
              transition -> unlessSame(transition.after().lane(), transition.before().lane())),
          new Column(
              "unexpected_num",
              transition ->
                  unlessSame(
                      transition.after().unexpectedNum(), transition.before().unexpectedNum())),
          new Column(
              "delivery_count",
              transition ->
                  unlessSame(
                      transition.after().deliveryCount(), transition.before().deliveryCount())),
          new Column(
              "task_context",
              transition ->
                  unlessSame(transition.after().context(), transition.before().context())),
          new Column(
              "result",
              transition -> unlessSame(transition.after().result(), transition.before().result())));

  private final JdbcTemplate jdbc;
  private final List<TaskLedger> ledgers;
  private final EventLog events;

  TransitionStore(JdbcTemplate jdbc, List<TaskLedger> ledgers, EventLog events) {
    this.jdbc = jdbc;
    this.ledgers = ledgers;
    this.events = events;
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
    return applyInOneStatement(table, transitions);
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
   * #applyIfUnchanged}, in one or more statements.
   *
   * @param transitions in the order of the rows' ids
   * @throws IncorrectUpdateSemanticsDataAccessException if a row was not written although it was
   *     locked; this is a bug, and nothing must be committed
   */
  public void apply(TaskTable table, List<TaskTransition> transitions) {
    for (int start = 0; start < transitions.size(); start += MAX_TRANSITIONS_PER_STATEMENT) {
      int end = Math.min(start + MAX_TRANSITIONS_PER_STATEMENT, transitions.size());
      List<TaskTransition> group = transitions.subList(start, end);
      int changed = applyInOneStatement(table, group);
      if (changed != group.size()) {
        throw new IncorrectUpdateSemanticsDataAccessException(
            changed + " of " + group.size() + " locked tasks changed in " + table);
      }
    }
    record(transitions);
  }

  private void record(List<TaskTransition> written) {
    List<TaskLedger.Change> changes = written.stream().map(TaskLedger.Change::of).toList();
    ledgers.forEach(ledger -> ledger.record(changes));
    written.forEach(
        transition -> events.addTask(transition.kind(), transition.after(), transition.errMsg()));
  }

  private int applyInOneStatement(TaskTable table, List<TaskTransition> transitions) {
    List<Column> changed =
        WRITTEN_IF_CHANGED.stream()
            .filter(
                column ->
                    transitions.stream().anyMatch(transition -> column.of(transition) != null))
            .toList();
    List<Column> columns = new ArrayList<>(GUARDS);
    columns.addAll(ALWAYS_WRITTEN);
    columns.addAll(changed);
    List<Object> values = new ArrayList<>(transitions.size() * columns.size());
    transitions.forEach(transition -> columns.forEach(column -> values.add(column.of(transition))));
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
          AND t.reported_epoch < v.from_epoch
          AND t.modify_time = v.from_time
        """
            .formatted(
                each(columns, ", ", "? AS %1$s"),
                ("UNION ALL SELECT ?" + ", ?".repeat(columns.size() - 1) + "\n")
                    .repeat(transitions.size() - 1),
                table.sqlName(),
                each(ALWAYS_WRITTEN, "", "t.%1$s = v.%1$s, "),
                each(changed, "", "t.%1$s = COALESCE(%2$s, t.%1$s), "),
                NOW_MS);
    return jdbc.update(sql, new StatementValues(values));
  }

  private static String each(List<Column> columns, String separator, String format) {
    return columns.stream()
        .map(column -> format.formatted(column.name(), column.sent()))
        .collect(joining(separator));
  }

  /** {@code null} for an unchanged value, so that large texts are not sent in vain. */
  static <T> T unlessSame(T value, T current) {
    return value == null || value.equals(current) ? null : value;
  }
}
