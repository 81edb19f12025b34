package io.asyncflow.flowsvr.task.pause;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.api.pause.Pause;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.flowsvr.base.duty.Feature;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.rules.PausedName;
import io.asyncflow.rules.TaskType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@code t_pause}, and what else says that something is paused.
 *
 * <p>Every method is one statement in the caller's transaction, if there is one. The row of a type
 * is written by transactions that have locked the type's row in {@code t_schedule_cfg}.
 */
@Component
public class PauseStore {

  /** Pauses that end by themselves. */
  public static final Feature ENDS = new Feature("t_pause WHERE until_time IS NOT NULL");

  /**
   * The pauses in force. One whose time has come is over, even if no leader has cleared it yet. A
   * type that was paused by SQL has one, too, of which nothing else is known.
   */
  private static final String IN_FORCE =
      sql(
          """
          SELECT 1 AS kind,
            CONVERT(LOWER(c.task_type) USING utf8mb4) COLLATE utf8mb4_bin AS name,
            p.until_time, COALESCE(p.operator, '') AS operator,
            COALESCE(p.reason, '') AS reason, COALESCE(p.pause_time, 0) AS pause_time
          FROM t_schedule_cfg c
          LEFT JOIN t_pause p
            ON p.kind = 1
            AND p.name = CONVERT(LOWER(c.task_type) USING utf8mb4) COLLATE utf8mb4_bin
          WHERE c.paused <> 0
          UNION ALL
          SELECT kind, name, until_time, operator, reason, pause_time
          FROM t_pause
          WHERE kind <> 1
            AND (until_time IS NULL OR until_time > now_ms)
          """);

  private static final String ANY_JOB =
      """
      UNION ALL
      SELECT 4, '', NULL, '', '', 0
      FROM DUAL
      WHERE EXISTS (
        SELECT 1
        FROM t_job FORCE INDEX (idx_pause)
        WHERE pause = 1
          AND state IN ('SPLITTING', 'RUNNING', 'RETRYING', 'MERGING'))
      """;

  private static final int JOB = 4;

  private static final String COLUMNS = "kind, name, until_time, operator, reason, pause_time\n";

  private static final String DELETE = "DELETE FROM t_pause WHERE kind = :kind AND name = :name";

  private final JdbcClient jdbc;

  PauseStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** All that is paused; of jobs, whether any is: an application may pause very many. */
  Paused inForce() {
    Set<TaskType> types = new HashSet<>();
    Map<TaskType, Set<String>> stages = new HashMap<>();
    Set<String> workers = new HashSet<>();
    AtomicBoolean anyJob = new AtomicBoolean();
    jdbc.sql(IN_FORCE + ANY_JOB)
        .query(
            rs -> {
              int kind = rs.getInt("kind");
              if (kind == JOB) {
                anyJob.set(true);
                return;
              }
              Optional<PausedName> name = PausedName.parse(kindOf(kind), rs.getString("name"));
              if (name.isEmpty()) {
                return; // written by SQL
              }
              switch (name.get().kind()) {
                case TYPE -> types.add(name.get().type());
                case WORKER -> workers.add(name.get().text());
                case STAGE ->
                    stages
                        .computeIfAbsent(name.get().type(), type -> new HashSet<>())
                        .add(name.get().stage());
              }
            });
    return new Paused(types, stages, workers, anyJob.get());
  }

  /** The database's clock, epoch ms. */
  public long now() {
    return jdbc.sql(sql("SELECT now_ms")).query(Long.class).single();
  }

  public int count() {
    return jdbc.sql("SELECT COUNT(*) FROM t_pause").query(Integer.class).single();
  }

  /** The row, locked until the transaction ends; also of a type that is not paused any more. */
  public Optional<Pause> lock(PausedName name) {
    return of(
            name,
            "SELECT " + COLUMNS + "FROM t_pause\nWHERE kind = :kind AND name = :name\nFOR UPDATE")
        .query((rs, row) -> read(rs))
        .optional();
  }

  private JdbcClient.StatementSpec of(PausedName name, String sql) {
    return jdbc.sql(sql).param("kind", code(name.kind())).param("name", name.text());
  }

  /** Writes a pause; of one that is there, all but since when. */
  public void put(PausedName name, Long until, Reason why) {
    of(
            name,
            sql(
                """
                INSERT INTO t_pause (kind, name, until_time, operator, reason, pause_time)
                VALUES (:kind, :name, :until, :operator, :reason, now_ms)
                ON DUPLICATE KEY UPDATE
                  until_time = VALUES(until_time),
                  operator = VALUES(operator),
                  reason = VALUES(reason)
                """))
        .param("until", until)
        .param("operator", why.operator())
        .param("reason", why.text())
        .update();
  }

  /** Deletes a pause; false if there was none. */
  public boolean delete(PausedName name) {
    return of(name, DELETE).update() == 1;
  }

  /** Deletes a pause whose time has come; false if it was changed meanwhile. */
  public boolean deleteEnded(Pause pause) {
    return of(new PausedName(pause.kind(), pause.name()), DELETE + " AND until_time = :until")
            .param("until", pause.until())
            .update()
        == 1;
  }

  /** Pauses whose time has come, the earliest first. */
  public List<Pause> ended(int limit) {
    return jdbc.sql(
            sql(
                "SELECT "
                    + COLUMNS
                    + """
                    FROM t_pause FORCE INDEX (idx_until)
                    WHERE until_time <= now_ms
                    ORDER BY until_time
                    LIMIT :limit
                    """))
        .param("limit", limit)
        .query((rs, row) -> read(rs))
        .list();
  }

  /**
   * The pauses behind one, by kind and name.
   *
   * @param kinds the kinds wanted
   * @param after the last pause of the previous page; {@code null} for the first page
   * @param caller what it does not see is not on the list
   */
  public List<Pause> list(Set<PauseKind> kinds, PausedName after, int limit, Caller caller) {
    Map<String, Object> params = new HashMap<>();
    String ofTypes = caller.scope().types().and("SUBSTRING_INDEX(name, '/', 1)", "type", params);
    String ofWorkers = caller.workers().and("name", "worker", params);
    return jdbc.sql(
            "SELECT "
                + COLUMNS
                + "FROM (\n"
                + IN_FORCE
                + """
                ) v
                WHERE kind IN (:kinds)
                  AND (kind > :kind OR (kind = :kind AND name > :name))
                  AND CASE kind WHEN 3 THEN TRUE %sELSE TRUE %sEND
                ORDER BY kind, name
                LIMIT :limit
                """
                    .formatted(ofWorkers, ofTypes))
        .params(params)
        .param("kinds", kinds.stream().map(PauseStore::code).toList())
        .param("kind", after == null ? 0 : code(after.kind()))
        .param("name", after == null ? "" : after.text())
        .param("limit", limit)
        .query((rs, row) -> read(rs))
        .list();
  }

  /**
   * Those of the jobs that are paused. They stay so until the transaction ends: what it sets aside
   * of them is brought back by the resume.
   */
  public Set<Long> lockPausedJobs(Collection<Long> jobs) {
    return Set.copyOf(
        jdbc.sql(
                """
                SELECT id
                FROM t_job FORCE INDEX (PRIMARY)
                WHERE id IN (:jobs)
                  AND pause = 1
                LOCK IN SHARE MODE
                """)
            .param("jobs", jobs)
            .query(Long.class)
            .list());
  }

  private static int code(PauseKind kind) {
    return kind.ordinal() + 1;
  }

  private static PauseKind kindOf(int code) {
    return PauseKind.values()[code - 1];
  }

  /** A pause, from a row with all columns. */
  public static Pause read(ResultSet rs) throws SQLException {
    return new Pause(
        kindOf(rs.getInt("kind")),
        rs.getString("name"),
        rs.getObject("until_time", Long.class),
        rs.getString("operator"),
        rs.getString("reason"),
        rs.getLong("pause_time"));
  }
}
