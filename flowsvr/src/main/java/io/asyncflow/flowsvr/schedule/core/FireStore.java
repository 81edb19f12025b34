package io.asyncflow.flowsvr.schedule.core;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.flowsvr.system.db.StatementValues;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Fires: one row each, in the table of the day of its fire time. The primary key is what makes a
 * fire happen once. Every method runs in the caller's transaction, if there is one. Thread-safe.
 */
@Component
public class FireStore {

  private static final String COLUMNS =
      """
      schedule_id, fire_time, outcome, manual, make_time, task_number, table_number, task_type,
        job_id, node, slice_epoch, end_status, end_time
      """;

  private static final String VALUES = sql("(?, ?, ?, ?, now_ms, ?, ?, ?, ?, ?, ?)");

  private static final String CREATED_BY_PLAN = " AND outcome = 1 AND manual = 0";

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;

  FireStore(JdbcClient jdbc, JdbcTemplate batch) {
    this.jdbc = jdbc;
    this.batch = batch;
  }

  /**
   * Inserts fires that were not made before. The tables of their days must exist.
   *
   * @throws DuplicateKeyException if one has a row already
   */
  public void insert(Collection<FireRow> fires) {
    byDay(fires).forEach((day, rows) -> insert("INSERT", day, rows));
  }

  /** Inserts the fires that have no row yet. */
  public void insertIfAbsent(Collection<FireRow> fires) {
    byDay(fires).forEach((day, rows) -> insert("INSERT IGNORE", day, rows));
  }

  private void insert(String verb, LocalDate day, List<FireRow> fires) {
    List<Object> values = new ArrayList<>(fires.size() * 10);
    for (FireRow fire : fires) {
      values.add(fire.scheduleId());
      values.add(fire.fireTime());
      values.add(code(fire.outcome()));
      values.add(fire.manual() ? 1 : 0);
      addRun(values, fire.run());
      values.add(fire.node());
      values.add(fire.sliceEpoch());
    }
    String sql =
        """
        %s INTO %s
          (schedule_id, fire_time, outcome, manual, make_time, task_number, table_number,
           task_type, job_id, node, slice_epoch)
        VALUES
        """
                .formatted(verb, FireDayStore.table(day))
            + String.join(",\n", Collections.nCopies(fires.size(), VALUES));
    batch.update(sql, new StatementValues(values));
  }

  private static void addRun(List<Object> values, Run run) {
    TaskId task = run == null ? null : run.task();
    values.add(task == null ? null : task.number());
    values.add(task == null ? null : task.table().number());
    values.add(task == null ? null : task.type().name());
    values.add(run == null ? null : run.jobId());
  }

  /**
   * Records fires: new ones, and those of a schedule anew that created nothing so far, or whose
   * tasks were withdrawn.
   *
   * @param earlier the outcomes of those that have a row already
   * @throws DuplicateKeyException if a fire has created something meanwhile
   */
  public void record(List<FireRow> rows, Map<Long, FireOutcome> earlier) {
    List<FireRow> again = rows.stream().filter(row -> earlier.containsKey(row.fireTime())).toList();
    byDay(again)
        .forEach(
            (day, ofDay) ->
                drop(
                    day,
                    "outcome <> 1",
                    ofDay.stream()
                        .map(row -> new Stretch(row.scheduleId(), row.fireTime(), row.fireTime()))
                        .toList()));
    insert(rows);
  }

  /** A stretch of fire times of a schedule, both ends included. */
  public record Stretch(long scheduleId, long from, long to) {}

  /**
   * Deletes the rows of refused fires in these stretches: a gap tells their fate now, and a fire
   * time has one.
   *
   * @param existing the existing days
   */
  public void dropRefused(Collection<Stretch> stretches, Collection<LocalDate> existing) {
    for (LocalDate day : existing) {
      long start = FireDayStore.startOf(day);
      long end = FireDayStore.startOf(day.plusDays(1));
      List<Stretch> ofDay =
          stretches.stream().filter(one -> one.from() < end && one.to() >= start).toList();
      if (!ofDay.isEmpty()) {
        drop(day, "outcome = 4", ofDay);
      }
    }
  }

  private void drop(LocalDate day, String which, List<Stretch> ofDay) {
    List<Object> values = new ArrayList<>();
    for (Stretch one : ofDay) {
      Collections.addAll(values, one.scheduleId(), one.from(), one.to());
    }
    try {
      batch.update(
          "DELETE FROM %s WHERE %s AND (%s)"
              .formatted(
                  FireDayStore.table(day),
                  which,
                  String.join(
                      " OR ",
                      Collections.nCopies(
                          ofDay.size(), "schedule_id = ? AND fire_time BETWEEN ? AND ?"))),
          new StatementValues(values));
    } catch (BadSqlGrammarException e) {
      if (!FireDayStore.isMissing(e)) {
        throw e;
      }
    }
  }

  /** Marks fires whose tasks were cancelled before they began. */
  public void withdraw(Collection<FireRow> fires) {
    byDay(fires)
        .forEach(
            (day, rows) ->
                batch.batchUpdate(
                    """
                    UPDATE %s
                    SET outcome = 3
                    WHERE schedule_id = ?
                      AND fire_time = ?
                    """
                        .formatted(FireDayStore.table(day)),
                    rows.stream()
                        .map(fire -> new Object[] {fire.scheduleId(), fire.fireTime()})
                        .toList()));
  }

  /**
   * A run that has ended, or that lives again.
   *
   * @param status the final status; {@code null} if the run lives again
   * @param time epoch ms; {@code null} if it is now, in this transaction
   */
  public record End(FireId fire, Run run, TaskStatus status, Long time) {

    /** Why it failed, for people; {@code null} if it did not. */
    public String error() {
      return status == TaskStatus.FAILED
          ? (run.task() == null ? "job " : "task ") + run + " failed"
          : null;
    }

    private LocalDate day() {
      return FireDayStore.dayOf(fire.fireTime());
    }

    private StatementValues values() {
      Integer code = status == null ? null : (Integer) status.code();
      Long task = run.task() == null ? null : run.task().number();
      return new StatementValues(
          Arrays.asList(
              code, code, time, fire.scheduleId(), fire.fireTime(), task, run.jobId(), code));
    }
  }

  /**
   * Records ends of runs, or that they live again, a batch a day.
   *
   * @return those that were not recorded before. If the day of a fire was dropped, that is each end
   *     of a task, as it is recorded once, in the transaction that writes it
   */
  public Set<End> recordEnds(Collection<End> ends) {
    Set<End> recorded = new HashSet<>();
    ends.stream()
        .collect(groupingBy(End::day, TreeMap::new, toList()))
        .forEach((day, ofDay) -> recorded.addAll(recordEnds(day, ofDay)));
    return recorded;
  }

  private List<End> recordEnds(LocalDate day, List<End> ends) {
    String sql =
        sql(
            """
            UPDATE %s
            SET end_status = ?,
                end_time = IF(? IS NULL, NULL, COALESCE(?, now_ms))
            WHERE schedule_id = ?
              AND fire_time = ?
              AND task_number <=> ?
              AND job_id <=> ?
              AND NOT (end_status <=> ?)
            """
                .formatted(FireDayStore.table(day)));
    try {
      int[] counts =
          batch
              .batchUpdate(
                  sql, ends, ends.size(), (statement, end) -> end.values().setValues(statement))[0];
      return IntStream.range(0, counts.length)
          .filter(i -> counts[i] > 0)
          .mapToObj(ends::get)
          .toList();
    } catch (BadSqlGrammarException e) {
      if (!FireDayStore.isMissing(e)) {
        throw e;
      }
      return ends.stream().filter(end -> end.time() == null).toList();
    }
  }

  /** The fires with a row among these, in no order. */
  public List<FireRow> find(Collection<FireId> fires) {
    List<FireRow> found = new ArrayList<>();
    fires.stream()
        .collect(groupingBy(fire -> FireDayStore.dayOf(fire.fireTime()), TreeMap::new, toList()))
        .forEach(
            (day, ofDay) -> {
              List<Object[]> keys =
                  ofDay.stream()
                      .map(fire -> new Object[] {fire.scheduleId(), fire.fireTime()})
                      .toList();
              found.addAll(
                  select(day, "(schedule_id, fire_time) IN (:keys)", Map.of("keys", keys)));
            });
    return found;
  }

  /** The fires of a schedule in these days from one time to another, oldest first. */
  public List<FireRow> between(
      long scheduleId, long from, long to, Collection<LocalDate> existingDays) {
    List<FireRow> found = new ArrayList<>();
    for (LocalDate day : existingDays) {
      if (FireDayStore.startOf(day) < to && FireDayStore.startOf(day.plusDays(1)) > from) {
        found.addAll(
            select(
                day,
                "schedule_id = :id AND fire_time >= :from AND fire_time < :to ORDER BY fire_time",
                Map.of("id", scheduleId, "from", from, "to", to)));
      }
    }
    return found;
  }

  /**
   * The fires of schedules after a time, in these days, that created something by plan: oldest
   * first for each schedule.
   */
  public List<FireRow> createdAfter(
      Collection<Long> scheduleIds, long after, Collection<LocalDate> days) {
    List<FireRow> found = new ArrayList<>();
    for (LocalDate day : scheduleIds.isEmpty() ? List.<LocalDate>of() : days) {
      found.addAll(
          select(
              day,
              "schedule_id IN (:ids) AND fire_time > :after"
                  + CREATED_BY_PLAN
                  + " ORDER BY schedule_id, fire_time",
              Map.of("ids", scheduleIds, "after", after)));
    }
    return found;
  }

  /**
   * The newest fires of a schedule before a time, newest first.
   *
   * @param isPlanned whether to leave out those that created nothing by plan
   * @param newestFirst the existing days
   */
  public List<FireRow> newest(
      long scheduleId,
      long before,
      int limit,
      boolean isPlanned,
      Collection<LocalDate> newestFirst) {
    List<FireRow> found = new ArrayList<>();
    for (LocalDate day : newestFirst) {
      if (found.size() < limit && FireDayStore.startOf(day) < before) {
        found.addAll(
            select(
                day,
                "schedule_id = :id AND fire_time < :before"
                    + (isPlanned ? CREATED_BY_PLAN : "")
                    + " ORDER BY fire_time DESC LIMIT :limit",
                Map.of("id", scheduleId, "before", before, "limit", limit - found.size())));
      }
    }
    return found;
  }

  private List<FireRow> select(LocalDate day, String condition, Map<String, Object> params) {
    try {
      return jdbc.sql(
              "SELECT " + COLUMNS + "FROM " + FireDayStore.table(day) + "\nWHERE " + condition)
          .params(params)
          .query((rs, row) -> read(rs))
          .list();
    } catch (BadSqlGrammarException e) {
      if (FireDayStore.isMissing(e)) {
        return List.of();
      }
      throw e;
    }
  }

  private static Map<LocalDate, List<FireRow>> byDay(Collection<FireRow> fires) {
    return fires.stream()
        .collect(groupingBy(fire -> FireDayStore.dayOf(fire.fireTime()), TreeMap::new, toList()));
  }

  private static FireRow read(ResultSet rs) throws SQLException {
    return new FireRow(
        rs.getLong("schedule_id"),
        rs.getLong("fire_time"),
        FireOutcome.values()[rs.getInt("outcome") - 1],
        rs.getInt("manual") == 1,
        rs.getLong("make_time"),
        run(rs),
        rs.getString("node"),
        rs.getLong("slice_epoch"),
        rs.getObject("end_status", Integer.class),
        rs.getObject("end_time", Long.class));
  }

  private static Run run(ResultSet rs) throws SQLException {
    String type = rs.getString("task_type");
    if (type != null) {
      TaskTable table =
          new TaskTable(TaskType.parse(type).orElseThrow(), rs.getInt("table_number"));
      return Run.of(new TaskId(rs.getLong("task_number"), table));
    }
    Long jobId = rs.getObject("job_id", Long.class);
    return jobId == null ? null : Run.ofJob(jobId);
  }

  private static int code(FireOutcome outcome) {
    return outcome.ordinal() + 1;
  }
}
