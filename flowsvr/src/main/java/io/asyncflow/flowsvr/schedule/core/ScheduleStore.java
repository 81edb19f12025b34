package io.asyncflow.flowsvr.schedule.core;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.api.schedule.CatchUp;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.ScheduleState;
import io.asyncflow.flowsvr.access.Scope;
import io.asyncflow.flowsvr.event.log.EventLog;
import io.asyncflow.flowsvr.event.log.NewEvent;
import io.asyncflow.flowsvr.schedule.core.ScheduleRow.Position;
import io.asyncflow.flowsvr.system.db.StatementValues;
import io.asyncflow.rules.TaskType;
import io.asyncflow.rules.schedule.FireRules;
import io.asyncflow.rules.schedule.RunEffect;
import io.asyncflow.rules.schedule.ScheduleRules;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
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

  /** The number of slices. */
  public static final int SLICES = 64;

  private static final List<Integer> ALL_SLICES = IntStream.range(0, SLICES).boxed().toList();

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

  private static final List<String> DEFINITION_COLUMNS =
      List.of(
          "revision",
          "body_hash",
          "cron",
          "zone",
          "every_ms",
          "anchor",
          "after_ms",
          "start_time",
          "end_time",
          "max_fires",
          "overlap",
          "catch_up",
          "catch_up_ms",
          "catch_up_limit",
          "jitter_ms",
          "pause_after",
          "weight",
          "load_",
          "target",
          "target_type",
          "target_is_job");

  private static final RowMapper<ScheduleRow> ROW = (rs, row) -> read(rs);

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;
  private final EventLog events;

  ScheduleStore(JdbcClient jdbc, JdbcTemplate batch, EventLog events) {
    this.jdbc = jdbc;
    this.batch = batch;
    this.events = events;
  }

  /** The slice of a schedule, for ever. */
  public static int sliceOf(long id) {
    CRC32 crc = new CRC32();
    crc.update(Long.toString(id).getBytes(StandardCharsets.US_ASCII));
    return (int) (crc.getValue() % SLICES);
  }

  /** Epoch ms on the database's clock. */
  public long now() {
    return jdbc.sql(sql("SELECT now_ms")).query(Long.class).single();
  }

  public Optional<ScheduleRow> find(long id) {
    return select("WHERE id = :id", Map.of("id", id)).stream().findFirst();
  }

  public Optional<ScheduleRow> find(String name) {
    return select("WHERE name = :name", Map.of("name", name)).stream().findFirst();
  }

  /** Locks the row and returns it. */
  public Optional<ScheduleRow> lock(long id) {
    return select("WHERE id = :id FOR UPDATE", Map.of("id", id)).stream().findFirst();
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

  /** The schedules of these ids, in no order. */
  public List<ScheduleRow> find(Collection<Long> ids) {
    return select("WHERE id IN (:ids)", Map.of("ids", ids));
  }

  /** The schedules of these names, in no order. */
  public List<ScheduleRow> findByNames(Collection<String> names) {
    return select("WHERE name IN (:names)", Map.of("names", names));
  }

  /**
   * A page of schedules, newest first.
   *
   * @param before only ids below
   * @param type the type of their targets; {@code null} for all
   * @param scope schedules that create something beyond it are left out
   */
  public List<ScheduleRow> page(
      long before, Set<ScheduleState> states, TaskType type, int limit, Scope scope) {
    Map<String, Object> params =
        new HashMap<>(
            Map.of(
                "before",
                before,
                "states",
                states.stream().map(ScheduleStore::code).toList(),
                "type",
                type == null ? "" : type.name(),
                "limit",
                limit));
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
    if (slices.isEmpty()) {
      return List.of();
    }
    // The index alone answers the inner query, so its sort is cheap even after a long outage.
    return jdbc.sql(
            sql(
                """
                SELECT %s
                FROM (
                SELECT id
                FROM t_schedule FORCE INDEX (idx_wake)
                WHERE slice IN (:slices)
                  AND wake_time <= now_ms + :near
                ORDER BY wake_time, id
                LIMIT :limit) due
                STRAIGHT_JOIN t_schedule s USING (id)
                """
                    .formatted(COLUMNS)))
        .param("slices", slices)
        .param("near", nearMs)
        .param("limit", limit)
        .query(ROW)
        .list();
  }

  /**
   * What guards a write: the row as it was read.
   *
   * @param nextFireTime {@code null} if there was none
   */
  public record Guard(long id, long fence, Long nextFireTime, long sliceEpoch) {

    /** The guard of a row that a server with this epoch of its slice fires. */
    public static Guard of(ScheduleRow row) {
      return new Guard(row.id(), row.fence(), row.position().nextFireTime(), row.sliceEpoch());
    }
  }

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
        .query(
            (rs, row) ->
                new Guard(rs.getLong(1), rs.getLong(2), rs.getObject(3, Long.class), rs.getLong(4)))
        .list();
  }

  /**
   * How fires move a schedule on.
   *
   * @param from the row as it was read
   * @param epoch of the slice for the server that fires; a row with a higher one is not written
   * @param created fires that created something
   * @param lastFireTime of the last of them; {@code null} if there was none
   * @param lastRun what it created; {@code null} if there was none
   * @param error why nothing was created; {@code null} to remove an earlier one
   */
  public record Advance(
      Guard from,
      long epoch,
      Long nextFireTime,
      Long wakeTime,
      int created,
      Long lastFireTime,
      String lastRun,
      String error,
      boolean ends) {}

  /** Writes that a schedule has ended by an {@link Advance}, with the caller's transaction. */
  public void tellEnd(ScheduleRow row) {
    tell(row.id(), row.definition(), ScheduleState.ENDED, null);
  }

  /** Moves schedules on that have not changed since they were read; returns how many were. */
  public int advance(List<Advance> advances) {
    List<Object> values = new ArrayList<>(advances.size() * 12);
    for (Advance advance : advances) {
      Collections.addAll(
          values,
          advance.from().id(),
          advance.from().fence(),
          advance.from().nextFireTime(),
          advance.epoch(),
          advance.nextFireTime(),
          advance.wakeTime(),
          advance.created(),
          advance.lastFireTime(),
          advance.lastRun(),
          advance.error(),
          advance.ends() ? code(ScheduleState.ENDED) : code(ScheduleState.ACTIVE));
    }
    String sql =
        sql(
            """
            UPDATE (
            SELECT ? AS id, ? AS fence, ? AS fire_time, ? AS epoch, ? AS next_fire_time,
              ? AS wake_time, ? AS fires, ? AS last_fire_time, ? AS last_run, ? AS last_error,
              ? AS state
            %s) v
            STRAIGHT_JOIN t_schedule s FORCE INDEX (PRIMARY) ON s.id = v.id
            SET s.next_fire_time = v.next_fire_time,
                s.wake_time = v.wake_time,
                s.fire_count = s.fire_count + v.fires,
                s.last_fire_time = COALESCE(v.last_fire_time, s.last_fire_time),
                s.last_run = COALESCE(CONVERT(v.last_run USING ascii), s.last_run),
                s.last_error = v.last_error,
                s.state = v.state,
                s.slice_epoch = v.epoch,
                s.fence = s.fence + 1,
                s.modify_time = now_ms
            WHERE s.fence = v.fence
              AND s.next_fire_time <=> v.fire_time
              AND s.slice_epoch <= v.epoch
              AND s.state = 1
            """
                .formatted(
                    "UNION ALL SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?\n"
                        .repeat(advances.size() - 1)));
    return batch.update(sql, new StatementValues(values));
  }

  /**
   * A schedule to insert.
   *
   * @param definition complete
   */
  public record NewRow(long id, NewSchedule definition, Long nextFireTime, Long wakeTime) {}

  /**
   * Inserts schedules.
   *
   * @throws org.springframework.dao.DuplicateKeyException if a name is taken
   */
  public void insert(List<NewRow> rows) {
    String sql =
        sql(
            "INSERT INTO t_schedule (id, name, slice, version, next_fire_time, wake_time, "
                + String.join(", ", DEFINITION_COLUMNS)
                + ", create_time, modify_time) VALUES (?, ?, ?, now_ms, ?, ?, "
                + "?, ".repeat(DEFINITION_COLUMNS.size())
                + "now_ms, now_ms)");
    List<Object[]> values = new ArrayList<>(rows.size());
    for (NewRow row : rows) {
      List<Object> value = new ArrayList<>();
      Collections.addAll(
          value,
          row.id(),
          row.definition().name(),
          sliceOf(row.id()),
          row.nextFireTime(),
          row.wakeTime());
      value.addAll(definitionValues(row.definition()));
      values.add(value.toArray());
    }
    batch.batchUpdate(sql, values);
    rows.forEach(row -> tell(row.id(), row.definition(), ScheduleState.ACTIVE, null));
  }

  /**
   * Replaces the definition of a row that the caller has locked. An ended schedule is active again.
   *
   * @param schedule complete
   */
  public void replace(ScheduleRow row, NewSchedule schedule, Long nextFireTime, Long wakeTime) {
    String sql =
        sql(
            "UPDATE t_schedule SET state = IF(state = 4, 1, state), next_fire_time = ?, "
                + "wake_time = ?, "
                + String.join(" = ?, ", DEFINITION_COLUMNS)
                + " = ?, version = GREATEST(version + 1, now_ms), fence = fence + 1, modify_time ="
                + " now_ms WHERE id = ?");
    List<Object> values = new ArrayList<>();
    Collections.addAll(values, nextFireTime, wakeTime);
    values.addAll(definitionValues(schedule));
    values.add(row.id());
    batch.update(sql, new StatementValues(values));
    if (row.state() == ScheduleState.ENDED) {
      tell(row.id(), schedule, ScheduleState.ACTIVE, null);
    }
  }

  /** In the order of {@link #DEFINITION_COLUMNS}. */
  private static List<Object> definitionValues(NewSchedule schedule) {
    List<Object> values = new ArrayList<>(DEFINITION_COLUMNS.size());
    Collections.addAll(
        values,
        schedule.revision(),
        ScheduleDefinitions.hash(schedule),
        schedule.cron(),
        schedule.zone(),
        schedule.everyMs(),
        schedule.anchor(),
        schedule.afterMs(),
        schedule.startTime(),
        schedule.endTime(),
        schedule.maxFires(),
        schedule.overlap().ordinal() + 1,
        schedule.catchUp().ordinal() + 1,
        schedule.catchUpMs(),
        schedule.catchUpLimit(),
        schedule.jitterMs(),
        schedule.pauseAfterFailures(),
        schedule.weight(),
        ScheduleRules.load(schedule),
        ScheduleDefinitions.target(schedule),
        ScheduleRules.targetType(schedule).name(),
        schedule.jobData() == null ? 0 : 1);
    return values;
  }

  /**
   * Sets the state of a row that the caller has locked, and what comes next.
   *
   * @param pauseUntil epoch ms; {@code null} unless it is paused until a time
   */
  public void setState(
      ScheduleRow row, ScheduleState state, Long nextFireTime, Long wakeTime, Long pauseUntil) {
    jdbc.sql(
            sql(
                """
                UPDATE t_schedule
                SET state = :state,
                    next_fire_time = :next,
                    wake_time = :wake,
                    pause_until = :until,
                    fail_streak = IF(:state = 1, 0, fail_streak),
                    fence = fence + 1,
                    modify_time = now_ms
                WHERE id = :id
                """))
        .param("state", code(state))
        .param("next", nextFireTime)
        .param("wake", wakeTime)
        .param("until", pauseUntil)
        .param("id", row.id())
        .update();
    if (state != row.state()) {
      tell(row.id(), row.definition(), state, null);
    }
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

  /** Raises the version of a row that the caller has locked: a caller of the API has changed it. */
  public void raiseVersion(long id) {
    jdbc.sql(sql("UPDATE t_schedule SET version = GREATEST(version + 1, now_ms) WHERE id = :id"))
        .param("id", id)
        .update();
  }

  /**
   * Records why nothing is created, and when the fires that have come are tried again; false if the
   * schedule has changed.
   */
  public boolean refuse(ScheduleRow row, String error, long wakeTime) {
    return jdbc.sql(
                """
                UPDATE t_schedule
                SET last_error = :error,
                    wake_time = :wake,
                    fence = fence + 1
                WHERE id = :id
                  AND fence = :fence
                """)
            .param("error", error)
            .param("wake", wakeTime)
            .param("id", row.id())
            .param("fence", row.fence())
            .update()
        == 1;
  }

  /** Counts fires that were made by hand. */
  public void countFires(long id, int fires) {
    jdbc.sql("UPDATE t_schedule SET fire_count = fire_count + :fires WHERE id = :id")
        .param("fires", fires)
        .param("id", id)
        .update();
  }

  /**
   * Records the end of a run where it decides what the schedule does next. A success ends the
   * streak of failures; a cancelled run leaves it as it is. A schedule that pauses itself is not
   * looked at until it is resumed, and one that has ended has no next fire.
   */
  public void recordEnd(ScheduleRow row, RunEffect effect) {
    jdbc.sql(
            sql(
                """
                UPDATE t_schedule
                SET fail_streak = :streak,
                    state = IF(:pauses = 1 AND state = 1, 2, state),
                    next_fire_time = IF(state = 4, NULL, COALESCE(:next, next_fire_time)),
                    wake_time = IF(state = 1, IF(:wakes = 1, now_ms, wake_time), pause_until),
                    last_error = :error,
                    fence = fence + 1,
                    modify_time = now_ms
                WHERE id = :id
                """))
        .param("streak", effect.failStreak())
        .param("pauses", effect.pauses() ? 1 : 0)
        .param("wakes", effect.isAwaited() ? 1 : 0)
        .param("next", effect.nextFireTime())
        .param("error", effect.error())
        .param("id", row.id())
        .update();
    if (effect.pauses()) {
      tell(row.id(), row.definition(), ScheduleState.PAUSED, effect.error());
    }
  }

  /**
   * Takes back what withdrawn fires wrote.
   *
   * @param fires how many were withdrawn
   * @param last the last fire before them that created something by plan; {@code null} if there is
   *     none, or if its day was dropped
   */
  public void takeBack(long id, int fires, FireRow last) {
    jdbc.sql(
            """
            UPDATE t_schedule
            SET fire_count = fire_count - :fires,
                last_fire_time = :time,
                last_run = :run
            WHERE id = :id
            """)
        .param("fires", fires)
        .param("time", last == null ? null : last.fireTime())
        .param("run", last == null ? null : last.run().toString())
        .param("id", id)
        .update();
  }

  public void delete(long id) {
    jdbc.sql("DELETE FROM t_schedule WHERE id = :id").param("id", id).update();
  }

  /**
   * The server that fires the schedules of a slice.
   *
   * @param owner {@code null} while no server does
   */
  public record SliceOwner(String owner, long epoch) {

    /** Of a slice without a row, which only a change by SQL causes. */
    public static final SliceOwner NONE = new SliceOwner(null, 0);
  }

  /** The owners of all slices, by slice. */
  public Map<Integer, SliceOwner> sliceOwners() {
    Map<Integer, SliceOwner> owners = new HashMap<>();
    jdbc.sql(
            sql(
                """
                SELECT slice, IF(lease_end > now_ms, owner, NULL), epoch
                FROM t_schedule_slice
                """))
        .query(
            rs -> {
              owners.put(rs.getInt(1), new SliceOwner(rs.getString(2), rs.getLong(3)));
            });
    return owners;
  }

  /** Counts the active schedules that have been due for so long. */
  public int countLate(Duration lateness) {
    return jdbc.sql(
            sql(
                """
                SELECT COUNT(*)
                FROM t_schedule FORCE INDEX (idx_wake)
                WHERE slice IN (:slices)
                  AND wake_time < now_ms - :lateness
                """))
        .param("slices", ALL_SLICES)
        .param("lateness", lateness.toMillis())
        .query(Integer.class)
        .single();
  }

  /**
   * A page of the schedules without a wake time, in the order of their ids: active ones that only
   * the end of their last run wakes, paused and ended ones.
   */
  public List<ScheduleRow> withoutWakeTime(long after, int limit) {
    // The index alone answers the inner query, which sorts all schedules without a wake time.
    return jdbc.sql(
            """
            SELECT %s
            FROM (
            SELECT id
            FROM t_schedule FORCE INDEX (idx_wake)
            WHERE slice IN (:slices)
              AND wake_time IS NULL
              AND id > :after
            ORDER BY id
            LIMIT :limit) page
            STRAIGHT_JOIN t_schedule s USING (id)
            ORDER BY id
            """
                .formatted(COLUMNS))
        .param("slices", ALL_SLICES)
        .param("after", after)
        .param("limit", limit)
        .query(ROW)
        .list();
  }

  /** Lets a schedule fire now whose last run has ended without news; false if it has changed. */
  public boolean wake(ScheduleRow row) {
    return jdbc.sql(
                sql(
                    """
                    UPDATE t_schedule
                    SET next_fire_time =
                          COALESCE(next_fire_time, GREATEST(now_ms, last_fire_time + 1), now_ms),
                        wake_time = now_ms,
                        fence = fence + 1
                    WHERE id = :id
                      AND fence = :fence
                      AND state = 1
                      AND wake_time IS NULL
                    """))
            .param("id", row.id())
            .param("fence", row.fence())
            .update()
        == 1;
  }

  /**
   * The highest epochs of late schedules that are above those of their slices, by slice, as after a
   * restore of one table alone: no server could fire these schedules. Looks at the latest ones.
   */
  public Map<Integer, Long> epochsAboveSlices(Duration lateness, int limit) {
    Map<Integer, Long> epochs = new HashMap<>();
    jdbc.sql(
            sql(
                """
                SELECT s.slice, MAX(s.slice_epoch)
                FROM (
                SELECT id
                FROM t_schedule FORCE INDEX (idx_wake)
                WHERE slice IN (:slices)
                  AND wake_time < now_ms - :lateness
                ORDER BY wake_time, id
                LIMIT :limit) late
                STRAIGHT_JOIN t_schedule s USING (id)
                JOIN t_schedule_slice c ON c.slice = s.slice
                WHERE s.slice_epoch > c.epoch
                GROUP BY s.slice
                """))
        .param("slices", ALL_SLICES)
        .param("lateness", lateness.toMillis())
        .param("limit", limit)
        .query(
            rs -> {
              epochs.put(rs.getInt(1), rs.getLong(2));
            });
    return epochs;
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
        state,
        rs.getLong("version"),
        rs.getLong("fence"),
        rs.getLong("slice_epoch"),
        rs.getBytes("body_hash"),
        schedule,
        rules,
        problem,
        new Position(
            rs.getObject("next_fire_time", Long.class),
            rs.getObject("wake_time", Long.class),
            rs.getLong("fire_count"),
            rs.getInt("fail_streak"),
            rs.getObject("last_fire_time", Long.class),
            rs.getString("last_run"),
            rs.getString("last_error")),
        rs.getObject("pause_until", Long.class),
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
