package io.asyncflow.systemtest.history;

import static io.asyncflow.systemtest.history.Rows.select;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;

import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.ScheduleState;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The rows about schedules as they stand, of one moment. All times are epoch ms of the database.
 *
 * @param now that moment
 * @param schedules those that are not deleted
 * @param runs the tasks and jobs that fires created
 * @param sliceEpochs by slice
 */
public record ScheduleAudit(
    long now,
    List<Schedule> schedules,
    List<Fire> fires,
    List<Gap> gaps,
    List<Run> runs,
    Map<Integer, Long> sliceEpochs) {

  private static final String NOW = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)";

  private static final List<String> PLAN =
      List.of("cron", "zone", "everyMs", "anchor", "afterMs", "startTime", "endTime", "maxFires");

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /**
   * One schedule.
   *
   * @param nextFireTime the first fire time without a fate; {@code null} if there is none
   * @param lastRun {@code null} before the first
   * @param plannedSince since when it has had this plan
   * @param overlapSince since when it has had this overlap policy
   * @param calmUntil when a caller paused or changed it first; never is {@link Long#MAX_VALUE}
   */
  public record Schedule(
      long id,
      String name,
      int slice,
      ScheduleState state,
      String cron,
      String zone,
      Long everyMs,
      Long anchor,
      Long afterMs,
      Long startTime,
      Long endTime,
      Overlap overlap,
      Long nextFireTime,
      String lastRun,
      long plannedSince,
      long overlapSince,
      long calmUntil) {}

  /**
   * One fire.
   *
   * @param manual whether it was made beside the plan
   * @param run the task or job that it created; {@code null} for none
   */
  public record Fire(
      long schedule,
      long fireTime,
      FireOutcome outcome,
      boolean manual,
      long makeTime,
      String run,
      String node,
      long epoch,
      Long endTime) {

    /** Whether the plan decided that it makes something, or that it makes nothing. */
    public boolean isDecided() {
      return !manual && (outcome == FireOutcome.CREATED || outcome == FireOutcome.SKIPPED);
    }
  }

  /** A stretch of fire times, both ends included, that made nothing. */
  public record Gap(long schedule, long from, long to) {

    public boolean includes(long time) {
      return from <= time && time <= to;
    }
  }

  /**
   * A task or a job.
   *
   * @param id as fires name it
   * @param firstTime when it was held last, or created if it is a job; 0 if it was never held
   * @param endTime of a job; {@code null} while it lives, and for a task
   */
  public record Run(
      String id,
      long schedule,
      long fireTime,
      boolean isFinal,
      boolean isCancelled,
      long firstTime,
      Long endTime) {}

  /** Reads all rows in one snapshot. */
  public static ScheduleAudit read(Connection database) throws SQLException {
    List<String> fireTables =
        tables(database, "tables", "table_name LIKE 't\\_schedule\\_fire\\_2%'");
    List<String> taskTables =
        tables(
            database,
            "columns",
            "table_name LIKE 't\\_%\\_task\\_%' AND column_name = 'schedule_id'");
    try (Statement statement = database.createStatement()) {
      statement.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
      statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
      try {
        return read(database, fireTables, taskTables);
      } finally {
        statement.execute("COMMIT");
      }
    }
  }

  /** The same without what these schedules left, which are deleted. */
  public ScheduleAudit without(Set<Long> deleted) {
    return new ScheduleAudit(
        now,
        schedules,
        fires.stream().filter(fire -> !deleted.contains(fire.schedule())).toList(),
        gaps,
        runs.stream().filter(run -> !deleted.contains(run.schedule())).toList(),
        sliceEpochs);
  }

  /** The schedules that have left fires or runs, deleted or not. */
  public Set<Long> fired() {
    return Stream.concat(fires.stream().map(Fire::schedule), runs.stream().map(Run::schedule))
        .collect(toSet());
  }

  private static List<String> tables(Connection database, String source, String condition)
      throws SQLException {
    return select(
        database,
        "SELECT table_name FROM information_schema."
            + source
            + " WHERE table_schema = DATABASE() AND "
            + condition,
        row -> row.getString(1));
  }

  private static ScheduleAudit read(
      Connection database, List<String> fireTables, List<String> taskTables) throws SQLException {
    long now = select(database, "SELECT " + NOW, row -> row.getLong(1)).get(0);
    Map<Long, List<Change>> changes =
        select(
                database,
                """
                SELECT object, act_time, detail
                FROM t_act
                WHERE object LIKE 'schedule:%'
                  AND act <> 'CREATE'
                """,
                Change::of)
            .stream()
            .collect(groupingBy(Change::schedule));
    List<Schedule> schedules =
        select(
            database,
            "SELECT * FROM t_schedule",
            row -> schedule(row, changes.getOrDefault(row.getLong("id"), List.of())));
    List<Fire> fires = new ArrayList<>();
    for (String table : fireTables) {
      fires.addAll(select(database, "SELECT * FROM " + table, ScheduleAudit::fire));
    }
    List<Run> runs = new ArrayList<>();
    for (String table : taskTables) {
      runs.addAll(
          select(
              database,
              "SELECT id, schedule_id, fire_time, status, hold_time FROM "
                  + table
                  + " WHERE schedule_id IS NOT NULL AND job_id IS NULL",
              row -> task(row, table)));
    }
    runs.addAll(
        select(
            database,
            "SELECT id, schedule_id, fire_time, state, create_time, end_time FROM t_job"
                + " WHERE schedule_id IS NOT NULL",
            ScheduleAudit::job));
    Map<Integer, Long> epochs = new HashMap<>();
    select(
        database,
        "SELECT slice, epoch FROM t_schedule_slice",
        row -> epochs.put(row.getInt(1), row.getLong(2)));
    return new ScheduleAudit(
        now,
        schedules,
        fires,
        select(
            database,
            "SELECT schedule_id, from_time, to_time FROM t_schedule_gap",
            row -> new Gap(row.getLong(1), row.getLong(2), row.getLong(3))),
        runs,
        epochs);
  }

  /** What a caller did to a schedule. */
  private record Change(long schedule, long time, boolean isOfPlan, boolean isOfOverlap) {

    static Change of(ResultSet row) throws SQLException {
      String written = row.getString("detail");
      JsonNode detail = JSON.readTree(written == null ? "{}" : written);
      JsonNode before = detail.path("before");
      JsonNode after = detail.path("after");
      return new Change(
          Long.parseLong(row.getString("object").substring("schedule:".length())),
          row.getLong("act_time"),
          PLAN.stream().anyMatch(field -> differ(before, after, field)),
          differ(before, after, "overlap"));
    }

    private static boolean differ(JsonNode before, JsonNode after, String field) {
      return !Objects.equals(before.path(field), after.path(field));
    }
  }

  private static Schedule schedule(ResultSet row, List<Change> changes) throws SQLException {
    long created = row.getLong("create_time");
    return new Schedule(
        row.getLong("id"),
        row.getString("name"),
        row.getInt("slice"),
        ScheduleState.values()[Integer.numberOfTrailingZeros(row.getInt("state"))],
        row.getString("cron"),
        row.getString("zone"),
        row.getObject("every_ms", Long.class),
        row.getObject("anchor", Long.class),
        row.getObject("after_ms", Long.class),
        row.getObject("start_time", Long.class),
        row.getObject("end_time", Long.class),
        Overlap.values()[row.getInt("overlap") - 1],
        row.getObject("next_fire_time", Long.class),
        row.getString("last_run"),
        latest(created, changes.stream().filter(Change::isOfPlan)),
        latest(created, changes.stream().filter(Change::isOfOverlap)),
        changes.stream().mapToLong(Change::time).reduce(Long.MAX_VALUE, Math::min));
  }

  private static long latest(long created, Stream<Change> changes) {
    return changes.mapToLong(Change::time).reduce(created, Math::max);
  }

  private static Fire fire(ResultSet row) throws SQLException {
    String type = row.getString("task_type");
    return new Fire(
        row.getLong("schedule_id"),
        row.getLong("fire_time"),
        FireOutcome.values()[row.getInt("outcome") - 1],
        row.getBoolean("manual"),
        row.getLong("make_time"),
        type == null
            ? row.getString("job_id")
            : row.getLong("task_number") + "_" + type + "_task_" + row.getInt("table_number"),
        row.getString("node"),
        row.getLong("slice_epoch"),
        row.getObject("end_time", Long.class));
  }

  private static Run task(ResultSet row, String table) throws SQLException {
    int status = row.getInt("status");
    return new Run(
        row.getLong("id") + table.substring(1),
        row.getLong("schedule_id"),
        row.getLong("fire_time"),
        (status & Audit.Row.FINAL) != 0,
        status == Audit.Row.CANCELLED,
        row.getLong("hold_time"),
        null);
  }

  private static Run job(ResultSet row) throws SQLException {
    String state = row.getString("state");
    Long ended = row.getObject("end_time", Long.class);
    return new Run(
        row.getString("id"),
        row.getLong("schedule_id"),
        row.getLong("fire_time"),
        ended != null,
        state.equals("CANCELLED"),
        row.getLong("create_time"),
        ended);
  }
}
