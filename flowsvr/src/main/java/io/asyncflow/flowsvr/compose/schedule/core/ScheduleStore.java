package io.asyncflow.flowsvr.compose.schedule.core;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.flowsvr.base.duty.Feature;
import io.asyncflow.flowsvr.base.system.db.StatementValues;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.task.event.log.EventLog;
import io.asyncflow.flowsvr.task.event.log.NewEvent;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.field.ScheduleFields;
import io.asyncflow.rules.schedule.FirePosition;
import io.asyncflow.rules.schedule.FireRules;
import io.asyncflow.rules.schedule.ScheduleRules;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@code t_schedule}: reads schedules, and writes them under their fence. Every method is one
 * statement in the caller's transaction, if there is one. Thread-safe.
 */
@Component
public class ScheduleStore {

  public static final Feature SCHEDULES = new Feature("t_schedule");

  private static final List<Integer> ALL_SLICES =
      IntStream.range(0, ScheduleRules.SLICES).boxed().toList();

  private static final String COLUMNS =
      sql(
          """
          id, name, slice, state, version, fence, slice_epoch, revision, body_hash, cron, zone, every_ms,
            anchor, after_ms, start_time, end_time, max_fires, overlap, catch_up, catch_up_ms,
            catch_up_limit, jitter_ms, pause_after, weight, target, target_is_job, next_fire_time,
            wake_time, fire_count, fail_streak, last_fire_time, last_run, last_error, pause_until,
            create_time, modify_time, now_ms AS db_now
          """);

  /** The type of the tasks that a fire creates; of a job, of its children. */
  private static final String CHILD_TYPE =
      "COALESCE(LOWER(" + ofTarget("childType") + "), target_type)";

  private static final String USER = ofTarget("userId");

  private static final RowMapper<ScheduleRow> ROW = (rs, row) -> read(rs);

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;
  private final EventLog events;

  ScheduleStore(JdbcClient jdbc, JdbcTemplate batch, EventLog events) {
    this.jdbc = jdbc;
    this.batch = batch;
    this.events = events;
  }

  /** Epoch ms on the database's clock. */
  public long now() {
    return jdbc.sql(sql("SELECT now_ms")).query(Long.class).single();
  }

  public Optional<ScheduleRow> find(long id) {
    return find(List.of(id)).stream().findFirst();
  }

  public Optional<ScheduleRow> find(String name) {
    return findByNames(List.of(name)).stream().findFirst();
  }

  /** The schedules of these ids, in no order. */
  public List<ScheduleRow> find(Collection<Long> ids) {
    return select("WHERE id IN (:ids)", Map.of("ids", ids));
  }

  /** The schedules of these names, in no order. */
  public List<ScheduleRow> findByNames(Collection<String> names) {
    return select("WHERE name IN (:names)", Map.of("names", names));
  }

  /** Locks the row and returns it. */
  public Optional<ScheduleRow> lock(long id) {
    return lock(List.of(id)).stream().findFirst();
  }

  /** Locks the rows in the order of their ids, and returns them so. */
  public List<ScheduleRow> lock(Collection<Long> ids) {
    return ids.isEmpty()
        ? List.of()
        : select(
            "FORCE INDEX (PRIMARY) WHERE id IN (:ids) ORDER BY id FOR UPDATE", Map.of("ids", ids));
  }

  /** Locks the row and returns it, unless another transaction has locked it. */
  public Optional<ScheduleRow> lockUnlessLocked(long id) {
    return select("WHERE id = :id FOR UPDATE SKIP LOCKED", Map.of("id", id)).stream().findFirst();
  }

  /**
   * A page of schedules, newest first.
   *
   * @param scope schedules that create something beyond it are left out
   */
  public List<ScheduleRow> page(ScheduleFields.Listed listed, Scope scope) {
    Map<String, Object> params = new HashMap<>();
    params.put("before", listed.before());
    params.put("states", listed.states().stream().map(ScheduleStore::code).toList());
    params.put("type", listed.type() == null ? "" : listed.type().name());
    params.put("limit", listed.limit());
    String inScope =
        scope.types().and("target_type", "targetType", params)
            + scope.types().and(CHILD_TYPE, "childType", params)
            + scope.users().and(USER, "user", params);
    return select(
        """
        WHERE id < :before
          AND state IN (:states)
          AND (:type = '' OR target_type = :type)
        """
            + inScope
            + "ORDER BY id DESC\nLIMIT :limit",
        params);
  }

  private static String ofTarget(String member) {
    // JSON_VALUE would be shorter, but MySQL has it since 8.0.21 only.
    return "CONVERT(JSON_UNQUOTE(JSON_EXTRACT(target, '$."
        + member
        + "')) USING utf8mb4) COLLATE utf8mb4_bin";
  }

  private List<ScheduleRow> select(String condition, Map<String, ?> params) {
    return jdbc.sql("SELECT " + COLUMNS + "FROM t_schedule\n" + condition)
        .params(params)
        .query(ROW)
        .list();
  }

  /**
   * The schedules of these slices to look at now, and those whose time is near, which the loop must
   * wake for; the longest due come first.
   *
   * @param nearMs how near
   */
  public List<ScheduleRow> due(Collection<Integer> slices, long nearMs, int limit) {
    return slices.isEmpty()
        ? List.of()
        : jdbc.sql(byWakeTime(COLUMNS, "now_ms + :near"))
            .param("slices", slices)
            .param("near", nearMs)
            .param("limit", limit)
            .query(ROW)
            .list();
  }

  /**
   * Reads the schedules of some slices whose wake time has come, the longest due first. Even after
   * a long outage it costs an index scan, and them.
   */
  private static String byWakeTime(String columns, String before) {
    // The index alone answers the inner query, so its sort is cheap.
    return sql(
        """
        SELECT %s
        FROM (
        SELECT id
        FROM t_schedule FORCE INDEX (idx_wake)
        WHERE slice IN (:slices)
          AND wake_time <= %s
        ORDER BY wake_time, id
        LIMIT :limit) page
        STRAIGHT_JOIN t_schedule s USING (id)
        """
            .formatted(columns, before));
  }

  /**
   * What guards a write.
   *
   * @param nextFireTime {@code null} if there is none
   */
  public record Guard(long id, long fence, Long nextFireTime, long sliceEpoch) {}

  /**
   * Locks those of these rows that no other transaction has locked, in the order of their ids, and
   * returns the guards that they have now. Paused and ended ones are left out.
   */
  public List<Guard> lockActiveUnlessLocked(Collection<Long> ids) {
    return jdbc.sql(
            """
            SELECT id, fence, next_fire_time, slice_epoch
            FROM t_schedule FORCE INDEX (PRIMARY)
            WHERE id IN (:ids)
              AND state = 1
            ORDER BY id
            FOR UPDATE SKIP LOCKED
            """)
        .param("ids", ids)
        .query(Guard.class)
        .list();
  }

  /**
   * A write of where a schedule stands.
   *
   * @param row as it was read; if it has another fence by now, nothing is written
   * @param epoch of the slice for the server that writes; a row with a higher one is not written
   * @param isAsked whether a caller of the API asks for it, which raises the version
   */
  public record Move(ScheduleRow row, FirePosition to, long epoch, boolean isAsked) {

    /** A move that the server makes by itself, at the epoch that the row has. */
    public static Move of(ScheduleRow row, FirePosition to) {
      return new Move(row, to, row.sliceEpoch(), false);
    }

    /** A move for which a caller of the API asks. */
    public static Move asked(ScheduleRow row, FirePosition to) {
      return new Move(row, to, row.sliceEpoch(), true);
    }

    /** A schedule that pauses itself says why. */
    private String why() {
      return !isAsked && to.state() == ScheduleState.PAUSED ? to.lastError() : null;
    }

    private List<Object> values() {
      return Arrays.asList(
          row.id(),
          row.fence(),
          epoch,
          to.state() == null ? null : (Integer) code(to.state()),
          to.nextFireTime(),
          to.wakeTime(),
          to.pauseUntil(),
          to.fireCount() - row.position().fireCount(),
          to.failStreak(),
          to.lastFireTime(),
          to.lastRun(),
          to.lastError(),
          isAsked ? 1 : 0);
    }
  }

  /** Moves schedules that the caller has locked, and writes events of those with another state. */
  public void move(List<Move> moves) {
    write(moves);
    moves.forEach(move -> tell(move, move.row().definition()));
  }

  private void tell(Move move, NewSchedule definition) {
    if (move.to().state() != move.row().state()) {
      tell(move.row().id(), definition, move.to().state(), move.why());
    }
  }

  private void write(List<Move> moves) {
    // The count is added, because fires that are made by hand are counted without a fence.
    String sql =
        sql(
            """
            UPDATE (
            SELECT ? AS id, ? AS fence, ? AS epoch, ? AS state, ? AS next_fire_time,
              ? AS wake_time, ? AS pause_until, ? AS fires, ? AS fail_streak, ? AS last_fire_time,
              ? AS last_run, ? AS last_error, ? AS is_asked
            %s) v
            STRAIGHT_JOIN t_schedule s FORCE INDEX (PRIMARY) ON s.id = v.id
            SET s.state = COALESCE(v.state, s.state),
                s.next_fire_time = v.next_fire_time,
                s.wake_time = v.wake_time,
                s.pause_until = v.pause_until,
                s.fire_count = s.fire_count + v.fires,
                s.fail_streak = v.fail_streak,
                s.last_fire_time = v.last_fire_time,
                s.last_run = CONVERT(v.last_run USING ascii),
                s.last_error = v.last_error,
                s.slice_epoch = v.epoch,
                s.version = IF(v.is_asked = 1, GREATEST(s.version + 1, now_ms), s.version),
                s.fence = s.fence + 1,
                s.modify_time = now_ms
            WHERE s.fence = v.fence
              AND s.slice_epoch <= v.epoch
            """
                .formatted(
                    "UNION ALL SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?\n"
                        .repeat(moves.size() - 1)));
    List<Object> values = moves.stream().flatMap(move -> move.values().stream()).toList();
    if (batch.update(sql, new StatementValues(values)) != moves.size()) {
      throw new IllegalStateException("locked schedules were not moved");
    }
  }

  /**
   * A schedule to insert.
   *
   * @param definition complete
   */
  public record NewRow(long id, NewSchedule definition, FirePosition position) {}

  /**
   * Inserts schedules.
   *
   * @throws org.springframework.dao.DuplicateKeyException if a name is taken
   */
  public void insert(List<NewRow> rows) {
    Set<String> columns = definition(rows.get(0).definition()).keySet();
    String sql =
        sql(
            "INSERT INTO t_schedule (id, name, slice, version, next_fire_time, wake_time, "
                + String.join(", ", columns)
                + ", create_time, modify_time) VALUES (?, ?, ?, now_ms, ?, ?, "
                + "?, ".repeat(columns.size())
                + "now_ms, now_ms)");
    List<Object[]> values = new ArrayList<>(rows.size());
    for (NewRow row : rows) {
      List<Object> value = new ArrayList<>();
      Collections.addAll(
          value,
          row.id(),
          row.definition().name(),
          ScheduleRules.sliceOf(row.id()),
          row.position().nextFireTime(),
          row.position().wakeTime());
      value.addAll(definition(row.definition()).values());
      values.add(value.toArray());
    }
    batch.batchUpdate(sql, values);
    rows.forEach(row -> tell(row.id(), row.definition(), ScheduleState.ACTIVE, null));
  }

  /**
   * Replaces the definition of a row that the caller has locked, and moves it.
   *
   * @param definition complete
   */
  public void replace(ScheduleRow row, NewSchedule definition, FirePosition to) {
    Map<String, Object> columns = definition(definition);
    String sql =
        "UPDATE t_schedule SET " + String.join(" = ?, ", columns.keySet()) + " = ? WHERE id = ?";
    List<Object> values = new ArrayList<>(columns.values());
    values.add(row.id());
    batch.update(sql, new StatementValues(values));
    Move move = Move.asked(row, to);
    write(List.of(move));
    tell(move, definition);
  }

  /** The columns of a definition, always in the same order. */
  private static Map<String, Object> definition(NewSchedule schedule) {
    Map<String, Object> columns = new LinkedHashMap<>();
    columns.put("revision", schedule.revision());
    columns.put("body_hash", ScheduleDefinitions.hash(schedule));
    columns.put("cron", schedule.cron());
    columns.put("zone", schedule.zone());
    columns.put("every_ms", schedule.everyMs());
    columns.put("anchor", schedule.anchor());
    columns.put("after_ms", schedule.afterMs());
    columns.put("start_time", schedule.startTime());
    columns.put("end_time", schedule.endTime());
    columns.put("max_fires", schedule.maxFires());
    columns.put("overlap", schedule.overlap().ordinal() + 1);
    columns.put("catch_up", schedule.catchUp().ordinal() + 1);
    columns.put("catch_up_ms", schedule.catchUpMs());
    columns.put("catch_up_limit", schedule.catchUpLimit());
    columns.put("jitter_ms", schedule.jitterMs());
    columns.put("pause_after", schedule.pauseAfterFailures());
    columns.put("weight", schedule.weight());
    columns.put("load_", ScheduleRules.load(schedule));
    columns.put("target", ScheduleDefinitions.target(schedule));
    columns.put("target_type", ScheduleRules.targetType(schedule).name());
    columns.put("target_is_job", schedule.jobData() == null ? 0 : 1);
    return columns;
  }

  /** Writes an event with the caller's transaction: the schedule has another state. */
  private void tell(long id, NewSchedule definition, ScheduleState state, String why) {
    if (!events.isInUse(EventKind.SCHEDULE_STATE)
        || (definition.taskData() == null && definition.jobData() == null)) {
      return; // a row that was broken by hand has no target
    }
    TaskType type = ScheduleRules.targetType(definition);
    if (events.keeps(type, EventKind.SCHEDULE_STATE)) {
      Event event = Event.ofSchedule(Long.toString(id), state.name(), why);
      events.add(NewEvent.of(EventKind.SCHEDULE_STATE, type, event));
    }
  }

  /** Counts fires that were made by hand. */
  public void countFires(long id, int fires) {
    jdbc.sql("UPDATE t_schedule SET fire_count = fire_count + :fires WHERE id = :id")
        .param("fires", fires)
        .param("id", id)
        .update();
  }

  public void delete(long id) {
    jdbc.sql("DELETE FROM t_schedule WHERE id = :id").param("id", id).update();
  }

  /**
   * The late schedules of a slice.
   *
   * @param epoch the highest one of them; above that of the slice, as after a restore of one table
   *     alone, no server could fire them
   */
  public record Late(int slice, int schedules, long epoch, long sliceEpoch) {}

  /** The active schedules that have been due for so long, the latest ones, by slice. */
  public List<Late> late(Duration lateness, int limit) {
    String columns =
        """
        s.slice, COUNT(*) AS schedules, MAX(s.slice_epoch) AS epoch, MAX(c.epoch) AS slice_epoch\
        """;
    return jdbc.sql(
            byWakeTime(columns, "now_ms - :lateness")
                + "JOIN t_schedule_slice c ON c.slice = s.slice\nGROUP BY s.slice")
        .param("slices", ALL_SLICES)
        .param("lateness", lateness.toMillis())
        .param("limit", limit)
        .query(Late.class)
        .list();
  }

  /** Raises the epoch of a slice above this one, and ends its lease; false if it is above. */
  public boolean raiseSliceEpoch(int slice, long above) {
    return jdbc.sql(
                """
                UPDATE t_schedule_slice
                SET epoch = :above + 1,
                    lease_end = 0
                WHERE slice = :slice
                  AND epoch <= :above
                """)
            .param("slice", slice)
            .param("above", above)
            .update()
        == 1;
  }

  /**
   * The ids of those of these schedules for which the end of a run decides what comes next.
   *
   * @param judged whether a run failed or succeeded, and was not cancelled
   */
  public Set<Long> dependingOnEnds(Collection<Long> ids, boolean judged) {
    return jdbc
        .sql(
            """
            SELECT id
            FROM t_schedule
            WHERE id IN (:ids)
              AND (overlap = 3 OR after_ms IS NOT NULL OR :judged AND pause_after > 0)
            """)
        .param("ids", ids)
        .param("judged", judged)
        .query(Long.class)
        .list()
        .stream()
        .collect(Collectors.toSet());
  }

  private static ScheduleRow read(ResultSet rs) throws SQLException {
    long id = rs.getLong("id");
    NewSchedule schedule = withoutTarget(rs);
    ScheduleState state = state(rs.getInt("state"));
    FireRules rules = null;
    String problem = null;
    try {
      Objects.requireNonNull(state, "its state is unknown");
      Run.parse(rs.getString("last_run"));
      if (!ALL_SLICES.contains(rs.getInt("slice"))) {
        throw new IllegalArgumentException("there is no slice " + rs.getInt("slice"));
      }
      schedule = withTarget(schedule, rs.getString("target"), rs.getInt("target_is_job") == 1);
      rules = ScheduleRules.of(id, schedule);
    } catch (RuntimeException e) { // one row that was broken by hand must not stop the others
      problem = "its row cannot be understood: " + e.getMessage();
    }
    return new ScheduleRow(
        id,
        rs.getInt("slice"),
        rs.getLong("version"),
        rs.getLong("fence"),
        rs.getLong("slice_epoch"),
        rs.getBytes("body_hash"),
        schedule,
        rules,
        problem,
        new FirePosition(
            state,
            rs.getObject("next_fire_time", Long.class),
            rs.getObject("wake_time", Long.class),
            rs.getObject("pause_until", Long.class),
            rs.getLong("fire_count"),
            rs.getInt("fail_streak"),
            rs.getObject("last_fire_time", Long.class),
            rs.getString("last_run"),
            rs.getString("last_error")),
        rs.getLong("create_time"),
        rs.getLong("modify_time"),
        rs.getLong("db_now"));
  }

  private static NewSchedule withTarget(NewSchedule schedule, String target, boolean isJob) {
    return isJob
        ? schedule.creating(ScheduleDefinitions.job(target))
        : schedule.creating(ScheduleDefinitions.task(target));
  }

  private static NewSchedule withoutTarget(ResultSet rs) throws SQLException {
    return new NewSchedule(
        rs.getString("name"),
        rs.getString("cron"),
        rs.getString("zone"),
        rs.getObject("every_ms", Long.class),
        rs.getObject("anchor", Long.class),
        rs.getObject("after_ms", Long.class),
        null,
        null,
        rs.getObject("start_time", Long.class),
        rs.getObject("end_time", Long.class),
        rs.getObject("max_fires", Long.class),
        value(Overlap.values(), rs.getInt("overlap") - 1),
        value(CatchUp.values(), rs.getInt("catch_up") - 1),
        rs.getLong("catch_up_ms"),
        rs.getInt("catch_up_limit"),
        rs.getInt("jitter_ms"),
        rs.getInt("pause_after"),
        rs.getInt("weight"),
        rs.getInt("revision"));
  }

  /** 1, 2, 4, as the codes of a task's status are bits. */
  private static int code(ScheduleState state) {
    return 1 << state.ordinal();
  }

  private static ScheduleState state(int code) {
    return value(ScheduleState.values(), Integer.numberOfTrailingZeros(code));
  }

  /** {@code null} for a code that a change by SQL, or a newer server, has written. */
  private static <E> E value(E[] values, int index) {
    return index >= 0 && index < values.length ? values[index] : null;
  }
}
