package io.asyncflow.flowsvr.operate.bulk;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.NOW_MS;
import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.api.bulk.Bulk.Refusal;
import io.asyncflow.api.bulk.BulkAct;
import io.asyncflow.api.bulk.BulkArguments;
import io.asyncflow.api.bulk.BulkState;
import io.asyncflow.flowsvr.base.duty.Duty;
import io.asyncflow.flowsvr.base.duty.Retention;
import io.asyncflow.flowsvr.edge.act.Actor;
import io.asyncflow.flowsvr.edge.act.Reason;
import io.asyncflow.flowsvr.operate.bulk.BulkRow.Progress;
import io.asyncflow.rules.CodePoints;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code t_bulk}. Thread-safe. */
@Component
public class BulkStore {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int LONGEST_ERROR = 1_000;
  private static final Duration KEPT = Duration.ofDays(90);

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

  long now() {
    return jdbc.sql("SELECT " + NOW_MS).query(Long.class).single();
  }

  /**
   * Keeps a preview.
   *
   * @param time epoch ms
   * @param until epoch ms at which it is over
   * @param expected how many tasks it has found
   * @param granted as {@code CallerRefresh} takes it
   */
  void insert(
      BulkToken token,
      BulkForm form,
      long time,
      long until,
      int expected,
      boolean isExact,
      String principal,
      String granted) {
    jdbc.sql(
            """
            INSERT INTO t_bulk
              (id, state, token_hash, act, arguments, filter, preview_time, preview_end, expected,
               is_exact, cap, principal, granted, refusals, modify_time)
            VALUES (:id, 'PREVIEWED', :token, :act, :arguments, :filter, :time, :until, :expected,
              :exact, :cap, :principal, :granted, '[]', :time)
            """)
        .param("id", token.id())
        .param("token", token.hash())
        .param("act", form.act().name())
        .param("arguments", JSON.writeValueAsString(form.arguments()))
        .param("filter", form.filter().toString())
        .param("time", time)
        .param("until", until)
        .param("expected", expected)
        .param("exact", isExact)
        .param("cap", form.cap())
        .param("principal", principal)
        .param("granted", granted)
        .update();
  }

  public Optional<BulkRow> find(long id) {
    return select("WHERE id = :id", Map.of("id", id)).stream().findFirst();
  }

  private List<BulkRow> select(String which, Map<String, ?> params) {
    return jdbc.sql(SELECT + sql(which)).params(params).query((rs, row) -> read(rs)).list();
  }

  /**
   * The preview that this token starts, or the bulk that it has started; empty if the preview is
   * over or is another one's.
   */
  Optional<BulkRow> lock(long id, byte[] tokenHash, String principal) {
    return select(
            """
            WHERE id = :id
              AND token_hash = :token
              AND principal = :principal
              AND (state <> 'PREVIEWED' OR preview_end > now_ms)
            FOR UPDATE
            """,
            Map.of("id", id, "token", tokenHash, "principal", principal))
        .stream()
        .findFirst();
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
        .param("ip", actor.ipBytes())
        .param("trace", actor.traceId())
        .param("operator", why.operator())
        .param("reason", why.text())
        .param("id", id)
        .update();
  }

  /**
   * Stops a bulk that runs, or lets a stopped one go on, which was changed last when it was
   * stopped. False if it is not as expected.
   */
  boolean change(long id, BulkState from, BulkState to) {
    return jdbc.sql(
                sql(
                    """
                    UPDATE t_bulk
                    SET state = :to,
                        stopped_ms = stopped_ms
                          + IF(:from = 'STOPPED', GREATEST(0, now_ms - modify_time), 0),
                        modify_time = now_ms
                    WHERE id = :id
                      AND state = :from
                    """))
            .param("from", from.name())
            .param("to", to.name())
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
    return select(
            """
            WHERE state = 'RUNNING'
              %sORDER BY modify_time, id
            LIMIT 1
            """
                .formatted(others.isEmpty() ? "" : "AND id NOT IN (:others)\n"),
            Map.of("others", others))
        .stream()
        .findFirst();
  }

  /**
   * Writes a page, or how the bulk ends. False if the bulk was stopped, or if it is not where the
   * page began, or if a later leader goes on with it: then nothing of the page must be committed.
   *
   * @param error what there is to say of the end; empty for nothing
   */
  public boolean advance(BulkRow from, Progress to, BulkState state, String error) {
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
                        error = :error,
                        modify_time = now_ms,
                        end_time = IF(:state = 'RUNNING', NULL, now_ms)
                    WHERE id = :id
                      AND state = 'RUNNING'
                      AND pages = :pages
                      AND epoch <= :epoch
                    """))
            .param("state", state.name())
            .param("position", to.position())
            .param("epoch", to.epoch())
            .param("looked", to.looked())
            .param("done", to.done())
            .param("skipped", to.skipped())
            .param("refused", to.refused())
            .param("refusals", JSON.writeValueAsString(to.refusals()))
            .param("error", CodePoints.cut(error, LONGEST_ERROR))
            .param("id", from.id())
            .param("pages", from.progress().pages())
            .update()
        == 1;
  }

  /**
   * Bulks that have started, before this one in the list.
   *
   * @param principal whose; {@code null} for all
   */
  List<BulkRow> list(String principal, long before, int limit) {
    Map<String, Object> params = new HashMap<>(Map.of("before", before, "limit", limit));
    params.put("principal", principal);
    return select(
        """
        WHERE id < :before
          AND state <> 'PREVIEWED'
          %sORDER BY id DESC
        LIMIT :limit
        """
            .formatted(principal == null ? "" : "AND principal = :principal\n"),
        params);
  }

  @Bean
  Duty bulkRetentionDuty(Retention retention) {
    long ageMs = KEPT.toMillis(); // what they did stays in the acts
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
                Actor.address(rs.getBytes("actor_ip")),
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
}
