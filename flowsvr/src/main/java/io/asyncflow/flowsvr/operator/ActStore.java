package io.asyncflow.flowsvr.operator;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.flowsvr.system.db.StatementValues;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code t_act}: one row for each act of an operator on anything but a task, written in the act's
 * transaction. Thread-safe.
 */
@Component
public class ActStore {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final String INSERT =
      sql(
          """
          INSERT INTO t_act (act_time, act, object, operator, reason, detail)
          VALUES (now_ms, ?, ?, ?, ?, ?)
          """);

  private final JdbcTemplate batch;

  ActStore(JdbcTemplate batch) {
    this.batch = batch;
  }

  /**
   * Records an act.
   *
   * @param act such as {@code PAUSE}
   * @param object such as {@code schedule:249835547751612417}
   * @param operator as the caller names itself; may be empty
   * @param reason may be empty
   * @param detail what changed, shown as JSON; {@code null} for nothing
   */
  public void record(String act, String object, String operator, String reason, Object detail) {
    String json = detail == null ? null : JSON.writeValueAsString(detail);
    batch.update(INSERT, new StatementValues(Arrays.asList(act, object, operator, reason, json)));
  }

  /** Records the same act on several objects, without an operator. */
  public void recordAll(String act, Collection<String> objects) {
    batch.batchUpdate(
        INSERT, objects.stream().map(object -> new Object[] {act, object, "", "", null}).toList());
  }

  /** Deletes a page of the oldest acts of this age; returns their number. */
  int deleteOlderThan(Duration age, int limit) {
    return batch.update(
        sql(
            """
            DELETE FROM t_act
            WHERE act_time < now_ms - ?
            ORDER BY act_time
            LIMIT ?
            """),
        age.toMillis(),
        limit);
  }
}
