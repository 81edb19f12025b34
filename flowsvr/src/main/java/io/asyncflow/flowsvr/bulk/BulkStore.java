package io.asyncflow.flowsvr.bulk;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.NOW_MS;
import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.api.bulk.Bulk.Refusal;
import io.asyncflow.api.bulk.BulkAct;
import io.asyncflow.api.bulk.BulkArguments;
import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.flowsvr.act.Actor;
import io.asyncflow.flowsvr.act.Reason;
import io.asyncflow.flowsvr.bulk.BulkRow.Progress;
import io.asyncflow.flowsvr.duty.Duty;
import io.asyncflow.flowsvr.duty.Retention;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code t_bulk}. Every method is one statement. Thread-safe. */
@Component
public class BulkStore {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int LONGEST_ERROR = 1_000;

  private static final String SELECT =
      sql(
          """
          SELECT id, state, act, arguments, filter, preview_time, expected, is_exact, cap,
            principal, granted, actor_ip, trace_id, operator, reason, position, pages, epoch,
            looked, done, skipped, refused, refusals, error, start_time, stopped_ms, modify_time,
            end_time, now_ms AS db_now
          FROM t_bulk
          """);

  private final JdbcClient jdbc;

  BulkStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * What a preview has found.
   *
   * @param previewTime epoch ms
   * @param until epoch ms at which it is over
   */
  record NewRow(
      long id,
      byte[] tokenHash,
      BulkAct act,
      BulkArguments arguments,
      ObjectNode filter,
      long previewTime,
      long until,
      int expected,
      boolean isExact,
      int cap,
      String principal,
      String granted) {}

  long now() {
    return jdbc.sql("SELECT " + NOW_MS).query(Long.class).single();
  }

  void insert(NewRow row) {
    jdbc.sql(
            """
            INSERT INTO t_bulk
              (id, state, token_hash, act, arguments, filter, preview_time, preview_end, expected,
               is_exact, cap, principal, granted, refusals, modify_time)
            VALUES (:id, 'PREVIEWED', :token, :act, :arguments, :filter, :time, :until, :expected,
              :exact, :cap, :principal, :granted, '[]', :time)
            """)
        .param("id", row.id())
        .param("token", row.tokenHash())
        .param("act", row.act().name())
        .param("arguments", JSON.writeValueAsString(row.arguments()))
        .param("filter", row.filter().toString())
        .param("time", row.previewTime())
        .param("until", row.until())
        .param("expected", row.expected())
        .param("exact", row.isExact())
        .param("cap", row.cap())
        .param("principal", row.principal())
        .param("granted", row.granted())
        .update();
  }

  Optional<BulkRow> find(long id) {
    return jdbc.sql(SELECT + "WHERE id = :id")
        .param("id", id)
        .query((rs, row) -> read(rs))
        .optional();
  }

  /**
   * The preview that this token starts, or the bulk that it has started; empty if the preview is
   * over or is another one's.
   */
  Optional<BulkRow> lock(long id, byte[] tokenHash, String principal) {
    return jdbc.sql(
            SELECT
                + sql(
                    """
                    WHERE id = :id
                      AND token_hash = :token
                      AND principal = :principal
                      AND (state <> 'PREVIEWED' OR preview_end > now_ms)
                    FOR UPDATE
                    """))
        .param("id", id)
        .param("token", tokenHash)
        .param("principal", principal)
        .query((rs, row) -> read(rs))
        .optional();
  }

  void start(long id, Actor actor, Reason why) {
    jdbc.sql(
            sql(
                """
                UPDATE t_bulk
                SET state = 'RUNNING',
                    actor_ip = :ip,
                    trace_id = :trace,
                    operator = :operator,
                    reason = :reason,
                    start_time = now_ms,
                    modify_time = now_ms
                WHERE id = :id
                  AND state = 'PREVIEWED'
                """))
        .param("ip", actor.ip() == null ? null : actor.ip().getAddress())
        .param("trace", actor.traceId())
        .param("operator", why.operator())
        .param("reason", why.text())
        .param("id", id)
        .update();
  }

  /** False if the bulk does not run. */
  boolean stop(long id) {
    return jdbc.sql(
                sql(
                    """
                    UPDATE t_bulk
                    SET state = 'STOPPED',
                        modify_time = now_ms
                    WHERE id = :id
                      AND state = 'RUNNING'
                    """))
            .param("id", id)
            .update()
        == 1;
  }

  /** False if the bulk is not stopped. A stopped bulk was changed last when it was stopped. */
  boolean resume(long id) {
    return jdbc.sql(
                sql(
                    """
                    UPDATE t_bulk
                    SET state = 'RUNNING',
                        stopped_ms = stopped_ms + GREATEST(0, now_ms - modify_time),
                        modify_time = now_ms
                    WHERE id = :id
                      AND state = 'STOPPED'
                    """))
            .param("id", id)
            .update()
        == 1;
  }

  /**
   * The bulk whose last page is the oldest of those that run.
   *
   * @param others not these
   */
  public Optional<BulkRow> next(Set<Long> others) {
    String butNot = others.isEmpty() ? "" : "  AND id NOT IN (:others)\n";
    JdbcClient.StatementSpec statement =
        jdbc.sql(
            SELECT + "WHERE state = 'RUNNING'\n" + butNot + "ORDER BY modify_time, id\nLIMIT 1");
    return (others.isEmpty() ? statement : statement.param("others", others))
        .query((rs, row) -> read(rs))
        .optional();
  }

  /**
   * Writes a page, or the end, with what there is to say of it; {@code null} for nothing. False if
   * the bulk was stopped, or if it is not where the page began, or if a later leader goes on with
   * it: then nothing of the page must be committed.
   */
  public boolean advance(BulkRow from, Progress to, boolean isEnd, String left) {
    return jdbc.sql(
                sql(
                    """
                    UPDATE t_bulk
                    SET state = :state,
                        position = :position,
                        pages = pages + 1,
                        epoch = :epoch,
                        looked = :looked,
                        done = :done,
                        skipped = :skipped,
                        refused = :refused,
                        refusals = :refusals,
                        error = :left,
                        modify_time = now_ms,
                        end_time = IF(:state = 'DONE', now_ms, NULL)
                    WHERE id = :id
                      AND state = 'RUNNING'
                      AND pages = :pages
                      AND epoch <= :epoch
                    """))
            .param("state", (isEnd ? BulkState.DONE : BulkState.RUNNING).name())
            .param("position", to.position())
            .param("epoch", to.epoch())
            .param("looked", to.looked())
            .param("done", to.done())
            .param("skipped", to.skipped())
            .param("refused", to.refused())
            .param("refusals", JSON.writeValueAsString(to.refusals()))
            .param("left", left == null ? "" : left)
            .param("id", from.id())
            .param("pages", from.progress().pages())
            .update()
        == 1;
  }

  /** Ends a bulk that cannot go on, if it is where it was, and this leader is the last. */
  public void fail(BulkRow from, long epoch, String error) {
    jdbc.sql(
            sql(
                """
                UPDATE t_bulk
                SET state = 'FAILED',
                    error = :error,
                    modify_time = now_ms,
                    end_time = now_ms
                WHERE id = :id
                  AND state = 'RUNNING'
                  AND pages = :pages
                  AND epoch <= :epoch
                """))
        .param("epoch", epoch)
        .param("error", error.substring(0, Math.min(error.length(), LONGEST_ERROR)))
        .param("id", from.id())
        .param("pages", from.progress().pages())
        .update();
  }

  /**
   * Bulks that have started, before this one in the list.
   *
   * @param principal whose; {@code null} for all
   */
  List<BulkRow> list(String principal, long before, int limit) {
    String ofCaller = principal == null ? "" : "  AND principal = :principal\n";
    JdbcClient.StatementSpec statement =
        jdbc.sql(
                SELECT
                    + "WHERE id < :before\n  AND state <> 'PREVIEWED'\n"
                    + ofCaller
                    + "ORDER BY id DESC\nLIMIT :limit")
            .param("before", before)
            .param("limit", limit);
    return (principal == null ? statement : statement.param("principal", principal))
        .query((rs, row) -> read(rs))
        .list();
  }

  @Bean
  Duty bulkRetentionDuty(Retention retention) {
    long ageMs = Duration.ofDays(90).toMillis(); // what they did stays in the acts
    return retention.of("bulk", limit -> deleteEnded(ageMs, limit), this::deletePreviews);
  }

  /** Deletes previews that are over; returns their number. */
  int deletePreviews(int limit) {
    return jdbc.sql(
            sql(
                """
                DELETE FROM t_bulk
                WHERE state = 'PREVIEWED'
                  AND preview_end < now_ms
                LIMIT :limit
                """))
        .param("limit", limit)
        .update();
  }

  /** Deletes bulks that ended so long ago; returns their number. */
  int deleteEnded(long ageMs, int limit) {
    return jdbc.sql(sql("DELETE FROM t_bulk WHERE end_time < now_ms - :age LIMIT :limit"))
        .param("age", ageMs)
        .param("limit", limit)
        .update();
  }

  private static BulkRow read(ResultSet rs) throws SQLException {
    return new BulkRow(
        rs.getLong("id"),
        BulkState.valueOf(rs.getString("state")),
        BulkAct.valueOf(rs.getString("act")),
        JSON.readValue(rs.getString("arguments"), BulkArguments.class),
        (ObjectNode) JSON.readTree(rs.getString("filter")),
        rs.getLong("preview_time"),
        rs.getInt("expected"),
        rs.getBoolean("is_exact"),
        rs.getInt("cap"),
        Actor.ofRequest(
                rs.getString("principal"),
                address(rs.getBytes("actor_ip")),
                rs.getString("trace_id"))
            .inBulk(),
        rs.getString("granted"),
        new Reason(rs.getString("operator"), rs.getString("reason")),
        new Progress(
            rs.getString("position"),
            rs.getInt("pages"),
            rs.getLong("epoch"),
            rs.getLong("looked"),
            rs.getInt("done"),
            rs.getInt("skipped"),
            rs.getInt("refused"),
            List.of(JSON.readValue(rs.getString("refusals"), Refusal[].class))),
        rs.getString("error"),
        rs.getObject("start_time", Long.class),
        rs.getLong("stopped_ms"),
        rs.getLong("modify_time"),
        rs.getObject("end_time", Long.class),
        rs.getLong("db_now"));
  }

  private static InetAddress address(byte[] ip) {
    try {
      return ip == null ? null : InetAddress.getByAddress(ip);
    } catch (UnknownHostException e) {
      return null; // neither four bytes nor sixteen: written by SQL
    }
  }
}
