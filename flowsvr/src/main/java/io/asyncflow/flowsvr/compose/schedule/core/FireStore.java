package io.asyncflow.flowsvr.compose.schedule.core;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toList;

import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.GapReason;
import io.asyncflow.api.schedule.ScheduleGap;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.DutyIntervals;
import io.asyncflow.flowsvr.base.system.day.DayTables;
import io.asyncflow.flowsvr.base.system.db.PagedDelete;
import io.asyncflow.flowsvr.base.system.db.StatementValues;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.schedule.FireGap;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
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
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * What became of fire times: fires, one row each in the table of the UTC day of the fire time,
 * {@code t_schedule_fire_{yyyymmdd}}, and gaps, stretches of fire times that made nothing, in
 * {@code t_schedule_gap}. The primary key of a fire is what makes it happen once. A refused fire in
 * a gap has no row of its own any more.
 *
 * <p>Every method runs in the caller's transaction, if there is one. Thread-safe.
 */
@Component
public class FireStore extends DayTables {

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
    super(jdbc, "t_schedule_fire");
    this.jdbc = jdbc;
    this.batch = batch;
  }

  /**
   * Keeps the history of schedules: makes the tables of the next days ahead, so that no fire waits
   * for DDL, and drops those that are older than the history. Returns the number of dropped days
   * and deleted gaps.
   */
  @Bean
  Duty scheduleHistoryDuty(
      DutyIntervals every,
      PagedDelete pages,
      @Value("${flow.schedule.history:7d}") Duration history) {
    return Duty.ofCleaning(
            "schedule-history",
            every,
            () -> keep(history) + pages.run(limit -> deleteOldGaps(history, limit)))
        .onlyWith(ScheduleStore.SCHEDULES);
  }

  /** The days of these fire times. */
  public static Set<LocalDate> daysOf(Collection<Long> times) {
    return times.stream().map(DayTables::dayOf).collect(toCollection(TreeSet::new));
  }

  /**
   * Runs work for which the tables of the days of these fire times exist; once more if one was
   * dropped meanwhile.
   */
  public <T> T withDays(Collection<Long> times, Supplier<T> work) {
    ensure(daysOf(times));
    return unlessMissing(
        work,
        () -> {
          forget();
          ensure(daysOf(times));
          return work.get();
        });
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
                .formatted(verb, table(day))
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
                delete(
                    day,
                    "outcome <> 1",
                    ofDay.stream()
                        .map(row -> new Stretch(row.scheduleId(), row.fireTime(), row.fireTime()))
                        .toList()));
    insert(rows);
  }

  /** A stretch of fire times of a schedule, both ends included. */
  private record Stretch(long scheduleId, long from, long to) {}

  /**
   * Inserts the gaps of schedules that the caller has locked; one that begins at the same time is
   * replaced, as by a repeated resume. The rows of refused fires in them are deleted: a gap tells
   * their fate now, and a fire time has one.
   */
  public void insertGaps(Map<Long, List<FireGap>> gapsOfSchedules) {
    List<Stretch> stretches = new ArrayList<>();
    gapsOfSchedules.forEach(
        (id, gaps) -> gaps.forEach(gap -> stretches.add(new Stretch(id, gap.from(), gap.to()))));
    if (stretches.isEmpty()) {
      return;
    }
    for (LocalDate day : existing()) {
      long start = startOf(day);
      long end = startOf(day.plusDays(1));
      List<Stretch> ofDay =
          stretches.stream().filter(one -> one.from() < end && one.to() >= start).toList();
      if (!ofDay.isEmpty()) {
        delete(day, "outcome = 4", ofDay);
      }
    }
    gapsOfSchedules.forEach((id, gaps) -> gaps.forEach(gap -> insert(id, gap)));
  }

  private void insert(long scheduleId, FireGap gap) {
    jdbc.sql(
            """
            INSERT INTO t_schedule_gap (schedule_id, from_time, to_time, fires, reason)
            VALUES (:id, :from, :to, :fires, :reason)
            ON DUPLICATE KEY UPDATE
              to_time = VALUES(to_time),
              fires = VALUES(fires),
              reason = VALUES(reason)
            """)
        .param("id", scheduleId)
        .param("from", gap.from())
        .param("to", gap.to())
        .param("fires", gap.fires())
        .param("reason", gap.reason().ordinal() + 1)
        .update();
  }

  /** The gaps of a schedule that begin in [from, to), newest first, at most {@code limit}. */
  public List<ScheduleGap> gaps(long scheduleId, long from, long to, int limit) {
    return jdbc.sql(
            """
            SELECT from_time, to_time, fires, reason
            FROM t_schedule_gap
            WHERE schedule_id = :id
              AND from_time >= :from
              AND from_time < :to
            ORDER BY from_time DESC
            LIMIT :limit
            """)
        .param("id", scheduleId)
        .param("from", from)
        .param("to", to)
        .param("limit", limit)
        .query(
            (rs, row) ->
                new ScheduleGap(
                    rs.getLong(1),
                    rs.getLong(2),
                    rs.getInt(3),
                    GapReason.values()[rs.getInt(4) - 1]))
        .list();
  }

  /** Deletes a page of gaps that ended that long ago; returns how many. */
  public int deleteOldGaps(Duration history, int limit) {
    return jdbc.sql(
            sql(
                """
                DELETE FROM t_schedule_gap
                WHERE to_time < now_ms - :history
                ORDER BY to_time
                LIMIT :limit
                """))
        .param("history", history.toMillis())
        .param("limit", limit)
        .update();
  }

  private void delete(LocalDate day, String which, List<Stretch> ofDay) {
    List<Object> values = new ArrayList<>();
    for (Stretch one : ofDay) {
      Collections.addAll(values, one.scheduleId(), one.from(), one.to());
    }
    String stretches =
        String.join(
            " OR ",
            Collections.nCopies(ofDay.size(), "schedule_id = ? AND fire_time BETWEEN ? AND ?"));
    String sql = "DELETE FROM %s WHERE %s AND (%s)".formatted(table(day), which, stretches);
    unlessMissing(() -> batch.update(sql, new StatementValues(values)), () -> 0);
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
                        .formatted(table(day)),
                    rows.stream()
                        .map(fire -> new Object[] {fire.scheduleId(), fire.fireTime()})
                        .toList()));
  }

  /**
   * A run that has ended, or that lives again, in this transaction.
   *
   * @param status the final status; {@code null} if the run lives again
   * @param time epoch ms; {@code null} if the run's row does not have it
   */
  public record End(FireId fire, Run run, TaskStatus status, Long time) {

    /** Why it failed, for people; {@code null} if it did not. */
    public String error() {
      return status == TaskStatus.FAILED
          ? (run.task() == null ? "job " : "task ") + run + " failed"
          : null;
    }

    private LocalDate day() {
      return dayOf(fire.fireTime());
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
   * @return those that were not recorded before; all of a day that was dropped, as each end is
   *     recorded once
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
                .formatted(table(day)));
    return unlessMissing(
        () -> {
          int[] counts =
              batch
                  .batchUpdate(
                      sql,
                      ends,
                      ends.size(),
                      (statement, end) -> end.values().setValues(statement))[0];
          return IntStream.range(0, counts.length)
              .filter(i -> counts[i] > 0)
              .mapToObj(ends::get)
              .toList();
        },
        () -> ends);
  }

  /** The fires of a schedule in these days from one time to another, oldest first. */
  public List<FireRow> between(long scheduleId, long from, long to, Collection<LocalDate> days) {
    return select(
        days,
        "schedule_id = :id AND fire_time >= :from AND fire_time < :to ORDER BY fire_time",
        Map.of("id", scheduleId, "from", from, "to", to));
  }

  /**
   * The fires of schedules after a time, in these days, that created something by plan: oldest
   * first for each schedule.
   */
  public List<FireRow> createdAfter(
      Collection<Long> scheduleIds, long after, Collection<LocalDate> days) {
    return select(
        scheduleIds.isEmpty() ? List.of() : days,
        "schedule_id IN (:ids) AND fire_time > :after"
            + CREATED_BY_PLAN
            + " ORDER BY schedule_id, fire_time",
        Map.of("ids", scheduleIds, "after", after));
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
      if (found.size() < limit && startOf(day) < before) {
        found.addAll(
            select(
                List.of(day),
                "schedule_id = :id AND fire_time < :before"
                    + (isPlanned ? CREATED_BY_PLAN : "")
                    + " ORDER BY fire_time DESC LIMIT :limit",
                Map.of("id", scheduleId, "before", before, "limit", limit - found.size())));
      }
    }
    return found;
  }

  private List<FireRow> select(
      Collection<LocalDate> days, String condition, Map<String, Object> params) {
    List<FireRow> found = new ArrayList<>();
    for (LocalDate day : days) {
      String sql = "SELECT " + COLUMNS + "FROM " + table(day) + "\nWHERE " + condition;
      found.addAll(
          unlessMissing(
              () -> jdbc.sql(sql).params(params).query((rs, row) -> read(rs)).list(), List::of));
    }
    return found;
  }

  private static Map<LocalDate, List<FireRow>> byDay(Collection<FireRow> fires) {
    return fires.stream()
        .collect(groupingBy(fire -> dayOf(fire.fireTime()), TreeMap::new, toList()));
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
