package io.asyncflow.flowsvr.job.core;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.NOW_MS;
import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.api.FailurePolicy;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Team;
import io.asyncflow.flowsvr.access.Scope;
import io.asyncflow.flowsvr.duty.Feature;
import io.asyncflow.rules.FireId;
import io.asyncflow.rules.TaskId;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code t_job} and {@code t_job_input}: creates and reads jobs, and changes their state by guarded
 * updates. {@link JobCountStore} writes the counts.
 *
 * <p>Every method is one statement in the caller's transaction, if there is one.
 */
@Component
public class JobStore {

  private static final String PAUSABLE = "'SPLITTING', 'RUNNING', 'RETRYING', 'MERGING'";
  private static final String UNENDED = PAUSABLE + ", 'STOPPING'";
  private static final String FINAL = "'SUCCESS', 'FAILED', 'CANCELLED'";

  /** Jobs that have not ended. */
  public static final Feature UNFINISHED = new Feature("t_job WHERE state IN (" + UNENDED + ")");

  private static final String COLUMNS =
      """
      id, user_id, job_type, child_type, priority, release_window, fail_fast, input_bytes, input_kept,
      state, split_number, split_table, staged, staged_epoch, total, released, revived, done, failed, cancelled,
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

  /** What the UPDATE of a job returns if the job has ended by it. */
  private static final int ENDED = 2;

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
   * @param fire the fire that creates it; {@code null} if no schedule does
   * @param traceParent of the call that creates it; {@code null} for none
   * @param splitTask {@code null} for a job that runs at once
   * @param children the number of children of a job that runs at once; {@code null} with a split
   * @throws org.springframework.dao.DuplicateKeyException if the key created a job before; waits
   *     for a concurrent transaction with the same key
   */
  void insert(
      long id,
      NewJob job,
      FireId fire,
      String traceParent,
      byte[] bodyHash,
      int inputBytes,
      TaskId splitTask,
      Integer children) {
    jdbc.sql(
            sql(
                """
                INSERT INTO t_job
                      (id, user_id, job_type, child_type, priority, release_window, fail_fast,
                       idempotency_key, body_hash, input_bytes, state, split_number, split_table, create_time, modify_time,
                   schedule_id, fire_time, staged, total, run_time, merges, team, trace_parent)
                    VALUES (:id, :user, :jobType, :childType, :priority, :window, :failFast,
                       :key, :hash, :bytes, :state, :splitNumber, :splitTable, now_ms, now_ms,
                   :schedule, :fireTime, COALESCE(:children, 0), :children,
                   IF(:children IS NULL, NULL, now_ms), :merges, :team, :traceParent)
                """))
        .param("id", id)
        .param("user", job.userId())
        .param("jobType", job.jobType())
        .param("childType", job.childType())
        .param("priority", job.priority())
        .param("window", job.window())
        .param("failFast", job.failurePolicy() == FailurePolicy.FAIL_FAST)
        .param("key", job.idempotencyKey())
        .param("hash", bodyHash)
        .param("bytes", inputBytes)
        .param("state", (children == null ? JobState.SPLITTING : JobState.RUNNING).name())
        .param("splitNumber", numberOf(splitTask))
        .param("splitTable", tableOf(splitTask))
        .param("children", children)
        .param("merges", job.merges())
        .param(
            "team",
            job.team() == null ? null : JSON.writeValueAsString(job.team().withoutContext()))
        .param("traceParent", traceParent)
        .param("schedule", fire == null ? null : fire.scheduleId())
        .param("fireTime", fire == null ? null : fire.fireTime())
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

  public Optional<JobRow> find(long id) {
    return find(List.of(id)).stream().findFirst();
  }

  /** The existing jobs among these ids, with one statement. */
  public List<JobRow> find(Collection<Long> ids) {
    return jdbc.sql("SELECT " + COLUMNS + "\nFROM t_job\nWHERE id IN (:ids)")
        .param("ids", ids)
        .query((rs, row) -> read(rs))
        .list();
  }

  /** Locks the existing jobs among these ids, in their order, and returns their states. */
  Map<Long, JobState> lockStates(Collection<Long> ids) {
    Map<Long, JobState> states = new HashMap<>();
    jdbc.sql("SELECT id, state FROM t_job WHERE id IN (:ids) ORDER BY id FOR UPDATE")
        .param("ids", ids)
        .query(
            rs -> {
              states.put(rs.getLong("id"), JobState.valueOf(rs.getString("state")));
            });
    return states;
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
   * Changes a job if the guard holds; false if it does not. Each change has a version of its own. A
   * job has a time of its end while its state is final; the statement that sets it returns {@value
   * #ENDED} as its last id, so each end is told once. A successful job keeps the time of its
   * change; an operator may still change the status of its children.
   *
   * @param assignments evaluated from left to right, as are those that follow
   * @param ended gets the id if the job has ended by the change
   */
  boolean change(
      long id, String assignments, String guard, Map<String, ?> params, Collection<Long> ended) {
    KeyHolder last = new GeneratedKeyHolder();
    int changed =
        jdbc.sql(
                sql(
                    """
                    UPDATE t_job
                    SET %s,
                        version = version
                          + LAST_INSERT_ID(IF(end_time IS NULL AND state IN (%s), %s, 1)),
                        modify_time = IF(end_time IS NOT NULL AND state = 'SUCCESS', modify_time, now_ms),
                        end_time = IF(state IN (%s), COALESCE(end_time, now_ms), NULL)
                    WHERE id = :id
                      AND %s
                    """
                        .formatted(assignments, FINAL, ENDED, FINAL, guard)))
            .params(params)
            .param("id", id)
            .update(last);
    if (changed == 1 && last.getKey().intValue() == ENDED) {
      ended.add(id);
    }
    return changed == 1;
  }

  /** A change that ends no job. */
  private boolean change(long id, String assignments, String guard, Map<String, ?> params) {
    return change(id, assignments, guard, params, List.of());
  }

  /** Corrects the counts of a job; false if it has changed since it was read. */
  public boolean recount(JobRow job, JobCounts counts) {
    return change(
        job.id(),
        "done = :done, failed = :failed, cancelled = :cancelled",
        "version = :version",
        Map.of(
            "done", counts.done(),
            "failed", counts.failed(),
            "cancelled", counts.cancelled(),
            "version", job.version()));
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

  /** Moves the job to {@code STOPPING}; false if it has ended. */
  public boolean stop(long id) {
    return change(
        id,
        "state = 'STOPPING', stop_as = 'CANCELLED', pause = NULL",
        "state IN (" + UNENDED + ")",
        Map.of());
  }

  /**
   * Resumes a job that ended without success: with a new split if it was never split, with its
   * failed and cancelled children, or with the merge if there are none.
   *
   * @param newSplit {@code null} unless the job was never split
   * @param ended gets the id if the job has succeeded by it
   * @return whether the row was still as in {@code job}
   */
  public boolean resume(JobRow job, TaskId newSplit, Collection<Long> ended) {
    return change(
        job.id(),
        """
        state = IF(total IS NULL, 'SPLITTING',
          IF(done < total, 'RETRYING', IF(merges = 1, 'MERGING', 'SUCCESS'))),
        stop_as = 'FAILED',
        pause = NULL,
        split_number = IF(:splitNumber = 0, split_number, :splitNumber),
        split_table = IF(:splitNumber = 0, split_table, :splitTable),
        staged = IF(total IS NULL, 0, staged),
        staged_epoch = IF(total IS NULL, 0, staged_epoch),
        revived = 0,
        merge_number = NULL,
        merge_table = NULL,
        err_msg = NULL,
        run_time = now_ms,
        run_base = done,
        end_time = NULL\
        """,
        "state IN ('FAILED', 'CANCELLED') AND version = :version",
        Map.of(
            "splitNumber", numberOf(newSplit),
            "splitTable", tableOf(newSplit),
            "version", job.version()),
        ended);
  }

  /**
   * Advances a retry from one child index to another; false if it was not at {@code from}. The last
   * page lets the job run.
   */
  public boolean revive(long id, int from, int to) {
    return change(
        id,
        "revived = :to, state = IF(:to = released, 'RUNNING', state)",
        "revived = :from AND state = 'RETRYING' AND pause IS NULL",
        Map.of("from", from, "to", to));
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
