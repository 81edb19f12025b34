package io.asyncflow.flowsvr.edge.act;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.api.act.ActFilter;
import io.asyncflow.api.act.ListedAct;
import io.asyncflow.flowsvr.base.system.db.StatementValues;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** {@code t_act}: one row an act. Thread-safe. */
@Component
public class ActStore {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final String INSERT =
      sql(
          """
          INSERT INTO t_act
            (act_time, act, object, task_id, operator, reason, actor, actor_ip, source,
             status_before, status_after, new_task_id, detail, trace_id)
          VALUES (now_ms, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """);

  private final JdbcTemplate jdbc;

  ActStore(JdbcTemplate jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * @param detail as JSON; {@code null} for none
   */
  record Row(Actor actor, Act act, String detail) {

    List<?> values() {
      return Arrays.asList(
          act.kind(),
          act.object(),
          Acts.text(act.task()),
          act.reason().operator(),
          act.reason().text(),
          actor.name(),
          actor.ipBytes(),
          actor.source(),
          act.before() == null ? null : act.before().code(),
          act.after() == null ? null : act.after().code(),
          Acts.text(act.copy()),
          detail,
          actor.traceId());
    }
  }

  void insert(List<Row> rows) {
    jdbc.batchUpdate(
        INSERT,
        rows,
        rows.size(),
        (statement, row) -> new StatementValues(row.values()).setValues(statement));
  }

  /** The place of an act in the list. */
  public record Place(long time, long id) {

    /** Before all acts, as the list begins with the newest. */
    public static final Place NEWEST = new Place(Long.MAX_VALUE, Long.MAX_VALUE);
  }

  /** Acts after a place, newest first. */
  public List<ListedAct> list(ActFilter filter, Place after, int limit) {
    List<Object> values = new ArrayList<>();
    StringBuilder conditions = new StringBuilder();
    add(conditions, values, "actor = ?", filter.actor());
    add(conditions, values, "object = ?", filter.object());
    add(conditions, values, "act = ?", filter.act());
    add(conditions, values, "act_time >= ?", filter.from());
    add(conditions, values, "act_time < ?", filter.to());
    values.addAll(List.of(after.time(), after.time(), after.id(), limit));
    return jdbc.query(
        """
        SELECT id, act_time, act, object, task_id, actor, actor_ip, source, operator, reason,
          status_before, status_after, new_task_id, detail, trace_id
        FROM t_act
        WHERE %sact_time <= ?
          AND (act_time < ? OR id < ?)
        ORDER BY act_time DESC, id DESC
        LIMIT ?
        """
            .formatted(conditions),
        new StatementValues(values),
        (rs, row) -> read(rs));
  }

  private static void add(
      StringBuilder conditions, List<Object> values, String condition, Object value) {
    if (value != null) {
      conditions.append(condition).append("\n  AND ");
      values.add(value);
    }
  }

  private static ListedAct read(ResultSet rs) throws SQLException {
    return new ListedAct(
        rs.getLong("id"),
        rs.getLong("act_time"),
        rs.getString("act"),
        rs.getString("object"),
        rs.getString("task_id"),
        rs.getString("actor"),
        Actor.text(Actor.address(rs.getBytes("actor_ip"))),
        rs.getString("source"),
        rs.getString("operator"),
        rs.getString("reason"),
        rs.getObject("status_before", Integer.class),
        rs.getObject("status_after", Integer.class),
        rs.getString("new_task_id"),
        detail(rs.getString("detail")),
        rs.getString("trace_id"));
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> detail(String json) {
    try {
      return json == null ? null : JSON.readValue(json, Map.class);
    } catch (JacksonException e) {
      return Map.of("unreadable", json); // written by SQL
    }
  }
}
