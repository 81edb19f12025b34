package io.asyncflow.flowsvr.compose.job.core;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.NOW_MS;
import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;
import static java.util.stream.Collectors.joining;

import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.JobState;
import io.asyncflow.api.Team;
import io.asyncflow.flowsvr.base.duty.Feature;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.edge.access.Scoped;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.JobPause;
import io.asyncflow.rules.JobRow;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.dao.IncorrectUpdateSemanticsDataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code t_job} and {@code t_job_input}: creates and reads jobs, and moves them on by guarded
 * updates. {@link JobChanger} changes their state and counts.
 *
 * <p>Every method is one statement in the caller's transaction, if there is one.
 */
@Component
public class JobStore {

  private static final String PAUSABLE = "'SPLITTING', 'RUNNING', 'RETRYING', 'MERGING'";
  private static final String UNENDED = PAUSABLE + ", 'STOPPING'";

  /** Jobs that have not ended. */
  public static final Feature UNFINISHED = new Feature("t_job WHERE state IN (" + UNENDED + ")");

  private static final String COLUMNS =
      """
      id, user_id, job_type, child_type, priority, release_window, fail_fast, input_bytes, input_kept,
      state, stop_as, split_number, split_table, staged, staged_epoch, total, released, revived, done, failed, cancelled,
      merge_number, merge_table, result, err_msg, run_time, run_base, version, create_time,
      modify_time, end_time, schedule_id, fire_time, pause, pause_cursor, merges, team,
      trace_parent,\
      """
          + NOW_MS
          + " AS db_now";

  private static final String UNFINISHED_AFTER =
      sql(
          """
          SELECT state, id, team IS NOT NULL AS is_team,
            modify_time <= now_ms - :age AND CASE
              WHEN state = 'STOPPING' THEN 1
              WHEN pause = 1 THEN pause_cursor < released
              WHEN pause = 2 THEN 1
              WHEN state = 'MERGING' THEN merge_number IS NULL
              WHEN state = 'SPLITTING' OR (state = 'RUNNING' AND (released = total OR team IS NOT NULL)) THEN 0
              ELSE release_window IS NULL
                OR released - done - failed - cancelled < release_window
            END AS is_overdue
          FROM t_job FORCE INDEX (idx_state)
          WHERE state IN ('SPLITTING', 'RUNNING', 'RETRYING', 'STOPPING', 'MERGING')
            AND (state > :state OR (state = :state AND id > :id))
          ORDER BY state, id
          LIMIT :limit
          """);

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** {@code split_number} of a job without a split. */
  private static final long NO_SPLIT = 0;

  private final JdbcClient jdbc;

  JobStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * The job that a key created.
   *
   * @param bodyHash SHA-256 of the requested job
   */
  record KeyUse(long jobId, byte[] bodyHash) {}

  /**
   * Inserts a new job; its times are the database's.
   *
   * @param key {@code null} for none
   * @throws org.springframework.dao.DuplicateKeyException if the key created a job before; waits
   *     for a concurrent transaction with the same key
   */
  void insert(JobRow job, String key, byte[] bodyHash) {
    Map<String, Object> columns = columns(job);
    columns.keySet().removeAll(Set.of("run_time", "modify_time"));
    columns.put("id", job.id());
    columns.put("user_id", job.userId());
    columns.put("job_type", job.jobType().name());
    columns.put("child_type", job.childType().name());
    columns.put("priority", job.priority());
    columns.put("release_window", job.window());
    columns.put("fail_fast", job.policy() == FailurePolicy.FAIL_FAST);
    columns.put("idempotency_key", key);
    columns.put("body_hash", bodyHash);
    columns.put("input_bytes", job.inputBytes());
    columns.put("schedule_id", job.fire() == null ? null : job.fire().scheduleId());
    columns.put("fire_time", job.fire() == null ? null : job.fire().fireTime());
    columns.put("merges", job.merges());
    columns.put("team", job.team() == null ? null : JSON.writeValueAsString(job.team()));
    columns.put("trace_parent", job.traceParent());
    String names = String.join(", ", columns.keySet());
    String values = ":" + String.join(", :", columns.keySet());
    jdbc.sql(
            sql(
                """
                INSERT INTO t_job (%s, create_time, modify_time, run_time)
                VALUES (%s, now_ms, now_ms, IF(:total IS NULL, NULL, now_ms))
                """
                    .formatted(names, values)))
        .params(columns)
        .update();
  }

  void insertInput(long id, int part, byte[] content) {
    jdbc.sql("INSERT INTO t_job_input (job_id, part, content) VALUES (:id, :part, :content)")
        .param("id", id)
        .param("part", part)
        .param("content", content)
        .update();
  }

  /** A part of a job's input; empty after the last part. */
  public Optional<byte[]> findInput(long id, int part) {
    return jdbc.sql("SELECT content FROM t_job_input WHERE job_id = :id AND part = :part")
        .param("id", id)
        .param("part", part)
        .query((rs, row) -> rs.getBytes("content"))
        .optional();
  }

  Optional<KeyUse> findKey(TaskType jobType, String key) {
    return jdbc.sql(
            """
            SELECT id, body_hash
            FROM t_job
            WHERE job_type = :type
              AND idempotency_key = :key
            """)
        .param("type", jobType.name())
        .param("key", key)
        .query((rs, row) -> new KeyUse(rs.getLong("id"), rs.getBytes("body_hash")))
        .optional();
  }

  /**
   * The job with this id.
   *
   * @throws NoSuchJobException if there is none
   */
  public JobRow get(long id) {
    return find(id).orElseThrow(() -> new NoSuchJobException(id));
  }

  /**
   * The job with this id, if the caller sees it.
   *
   * @throws NoSuchJobException if it does not, as if there were no such job
   */
  public JobRow get(long id, Caller caller) {
    return find(id, caller).orElseThrow(() -> new NoSuchJobException(id));
  }

  public Optional<JobRow> find(long id) {
    return find(List.of(id)).stream().findFirst();
  }

  /** The job with this id, if the caller sees its user, its type and that of its children. */
  public Optional<JobRow> find(long id, Caller caller) {
    return find(id)
        .filter(
            job ->
                caller.sees(Scoped.of(job.userId(), job.jobType().name(), job.childType().name())));
  }

  /** The existing jobs among these ids, with one statement. */
  public List<JobRow> find(Collection<Long> ids) {
    return select("WHERE id IN (:ids)", ids);
  }

  /** Locks the existing jobs among these ids, in the order of their ids, and returns them so. */
  List<JobRow> lock(Collection<Long> ids) {
    return select("FORCE INDEX (PRIMARY) WHERE id IN (:ids) ORDER BY id FOR UPDATE", ids);
  }

  private List<JobRow> select(String condition, Collection<Long> ids) {
    return jdbc.sql("SELECT " + COLUMNS + "\nFROM t_job " + condition)
        .param("ids", ids)
        .query((rs, row) -> read(rs))
        .list();
  }

  /**
   * Jobs with numbers below {@code before}, newest first.
   *
   * @param user {@code null} for any
   * @param scope jobs beyond it are left out
   */
  public List<JobRow> newest(String user, long before, int limit, Scope scope) {
    Map<String, Object> params = new HashMap<>();
    String inScope =
        scope.types().and("job_type", "jobType", params)
            + scope.types().and("child_type", "childType", params)
            + scope.users().and("user_id", "ofUser", params);
    String ofUser = user == null ? "" : "AND user_id = :user\n";
    String index = user == null ? "PRIMARY" : "idx_user";
    return jdbc.sql(
            "SELECT "
                + COLUMNS
                + "\nFROM t_job FORCE INDEX ("
                + index
                + ")\nWHERE id < :before\n"
                + ofUser
                + inScope
                + "ORDER BY id DESC\nLIMIT :limit")
        .params(params)
        .param("before", before)
        .param("user", user)
        .param("limit", limit)
        .query((rs, row) -> read(rs))
        .list();
  }

  /**
   * A job that has not ended.
   *
   * @param isOverdue whether it needs a step and has not changed for a while. A job with a full
   *     window needs none: the end of a child makes room. Nor does a running team, which is
   *     watched.
   */
  public record Unfinished(JobState state, long id, boolean isTeam, boolean isOverdue) {

    public boolean isRunningTeam() {
      return isTeam && state == JobState.RUNNING;
    }
  }

  /**
   * A page of the jobs that have not ended, in the order of their states' names and their ids. It
   * reads no more rows than it returns.
   *
   * @param last the last job of the page before; {@code null} for the first page
   * @param age of the last change of a job that is overdue
   */
  public List<Unfinished> unfinished(Unfinished last, Duration age, int limit) {
    return jdbc.sql(UNFINISHED_AFTER)
        .param("state", last == null ? "" : last.state().name())
        .param("id", last == null ? 0 : last.id())
        .param("age", age.toMillis())
        .param("limit", limit)
        .query(
            (rs, row) ->
                new Unfinished(
                    JobState.valueOf(rs.getString("state")),
                    rs.getLong("id"),
                    rs.getBoolean("is_team"),
                    rs.getBoolean("is_overdue")))
        .list();
  }

  /**
   * Writes the columns that differ between a row and what becomes of it.
   *
   * @param before as it was locked by the caller
   */
  void write(JobRow before, JobRow after) {
    Map<String, Object> changed = columns(after);
    changed.entrySet().removeAll(columns(before).entrySet());
    String assignments =
        changed.keySet().stream().map(column -> column + " = :" + column).collect(joining(", "));
    int rows =
        jdbc.sql("UPDATE t_job SET " + assignments + " WHERE id = :id AND version = :before")
            .params(changed)
            .param("id", before.id())
            .param("before", before.version())
            .update();
    if (rows != 1) {
      throw new IncorrectUpdateSemanticsDataAccessException("job " + before.id() + " was locked");
    }
  }

  /** The columns that a rule may change. */
  private static Map<String, Object> columns(JobRow job) {
    Map<String, Object> columns = new LinkedHashMap<>();
    columns.put("state", job.state().name());
    columns.put("stop_as", job.stopAs().name());
    columns.put("pause", job.pause() == JobPause.NONE ? null : (Integer) job.pause().ordinal());
    columns.put("split_number", numberOf(job.splitTask()));
    columns.put("split_table", tableOf(job.splitTask()));
    columns.put("staged", job.staged());
    columns.put("staged_epoch", job.stagedEpoch());
    columns.put("total", job.total());
    columns.put("revived", job.revived());
    columns.put("done", job.done());
    columns.put("failed", job.failed());
    columns.put("cancelled", job.cancelled());
    columns.put("merge_number", job.mergeTask() == null ? null : job.mergeTask().number());
    columns.put("merge_table", job.mergeTask() == null ? null : tableOf(job.mergeTask()));
    columns.put("result", job.result());
    columns.put("err_msg", job.errMsg());
    columns.put("run_time", job.runTime());
    columns.put("run_base", job.runBase());
    columns.put("version", job.version());
    columns.put("modify_time", job.modifyTime());
    columns.put("end_time", job.endTime());
    return columns;
  }

  /** A step that neither ends the job nor changes its state, if the guard holds. */
  private boolean change(long id, String assignments, String guard, Map<String, ?> params) {
    return jdbc.sql(
                sql(
                    "UPDATE t_job SET %s, version = version + 1, modify_time = now_ms WHERE id = :id AND %s"
                        .formatted(assignments, guard)))
            .params(params)
            .param("id", id)
            .update()
        == 1;
  }

  /**
   * Records how many children the split has sent.
   *
   * @return whether the job is still being split by this task
   */
  public boolean stage(long id, TaskId split, int epoch, int staged) {
    return change(
        id,
        "staged = :staged, staged_epoch = :epoch",
        "split_number = :split AND state = 'SPLITTING'",
        Map.of("staged", staged, "epoch", epoch, "split", split.number()));
  }

  /**
   * Records that these children become tasks; false if the job has moved meanwhile, or its window
   * has no room for them.
   */
  public boolean release(long id, int from, int to) {
    return change(
        id,
        "released = :to",
        """
        released = :from
        AND state = 'RUNNING'
        AND (release_window IS NULL OR :to - done - failed - cancelled <= release_window)
        AND pause IS NULL
        """,
        Map.of("from", from, "to", to));
  }

  /** Sets the merge task; false if the job no longer waits for it. */
  public boolean setMerge(long id, TaskId merge) {
    return change(
        id,
        "merge_number = :number, merge_table = :table",
        "merge_number IS NULL AND state = 'MERGING' AND pause IS NULL",
        Map.of("number", merge.number(), "table", merge.table().number()));
  }

  /** Pauses the job; false if it is paused, is being cancelled or has ended. */
  public boolean pause(long id) {
    return change(
        id,
        "pause = 1, pause_cursor = -1",
        "COALESCE(pause, 0) <> 1 AND state IN (" + PAUSABLE + ")",
        Map.of());
  }

  /** Begins to resume the job; false if it is not paused. */
  public boolean unpause(long id) {
    return change(
        id, "pause = 2, pause_cursor = -1", "pause = 1 AND state IN (" + PAUSABLE + ")", Map.of());
  }

  /**
   * Records that the tasks of a page were paused, or wait again; false if the job has moved
   * meanwhile. The last page of a resume ends it.
   */
  public boolean movePause(JobRow job, int to) {
    return change(
        job.id(),
        "pause_cursor = :to, pause = IF(pause = 2 AND :to = released, NULL, pause)",
        "pause = :pause AND pause_cursor = :from AND state IN (" + PAUSABLE + ")",
        Map.of("to", to, "pause", job.pause().ordinal(), "from", job.pauseCursor()));
  }

  private static long numberOf(TaskId task) {
    return task == null ? NO_SPLIT : task.number();
  }

  private static int tableOf(TaskId task) {
    return task == null ? 0 : task.table().number();
  }

  /**
   * Locks the job if it is in this state and not paused; false otherwise. A pause does not keep a
   * job from being stopped: a job that fails fast may be paused.
   */
  public boolean lockIn(long id, JobState state) {
    return jdbc.sql(
            """
            SELECT id
            FROM t_job
            WHERE id = :id
              AND state = :state
              AND (pause IS NULL OR state = 'STOPPING')
            FOR UPDATE
            """)
        .param("id", id)
        .param("state", state.name())
        .query(Long.class)
        .optional()
        .isPresent();
  }

  private static TaskId task(ResultSet rs, TaskType type, String number, String table)
      throws SQLException {
    long value = rs.getLong(number); // 0 for null, too
    return value == NO_SPLIT ? null : new TaskId(value, new TaskTable(type, rs.getInt(table)));
  }

  private static JobRow read(ResultSet rs) throws SQLException {
    TaskType jobType = TaskType.parse(rs.getString("job_type")).orElseThrow();
    String team = rs.getString("team");
    return new JobRow(
        rs.getLong("id"),
        rs.getString("user_id"),
        jobType,
        TaskType.parse(rs.getString("child_type")).orElseThrow(),
        rs.getInt("priority"),
        rs.getObject("release_window", Integer.class),
        rs.getObject("schedule_id") == null
            ? null
            : new FireId(rs.getLong("schedule_id"), rs.getLong("fire_time")),
        rs.getBoolean("fail_fast") ? FailurePolicy.FAIL_FAST : FailurePolicy.FINISH,
        rs.getInt("input_bytes"),
        rs.getBoolean("input_kept"),
        JobState.valueOf(rs.getString("state")),
        JobState.valueOf(rs.getString("stop_as")),
        task(rs, jobType, "split_number", "split_table"),
        rs.getInt("staged"),
        rs.getInt("staged_epoch"),
        rs.getObject("total", Integer.class),
        rs.getInt("released"),
        rs.getInt("revived"),
        rs.getInt("done"),
        rs.getInt("failed"),
        rs.getInt("cancelled"),
        task(rs, jobType, "merge_number", "merge_table"),
        rs.getString("result"),
        rs.getString("err_msg"),
        rs.getObject("run_time", Long.class),
        rs.getInt("run_base"),
        rs.getLong("version"),
        rs.getLong("create_time"),
        rs.getLong("modify_time"),
        rs.getObject("end_time", Long.class),
        JobPause.values()[rs.getInt("pause")],
        rs.getInt("pause_cursor"),
        rs.getBoolean("merges"),
        team == null ? null : JSON.readValue(team, Team.class),
        rs.getString("trace_parent"),
        rs.getLong("db_now"));
  }
}
