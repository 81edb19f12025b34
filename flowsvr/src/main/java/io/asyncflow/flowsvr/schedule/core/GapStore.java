package io.asyncflow.flowsvr.schedule.core;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.api.schedule.GapReason;
import io.asyncflow.api.schedule.ScheduleGap;
import io.asyncflow.rules.schedule.FireGap;
import java.time.Duration;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@code t_schedule_gap}: stretches of fire times that made nothing. Thread-safe. */
@Component
public class GapStore {

  private final JdbcClient jdbc;

  GapStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** Inserts gaps; one that begins at the same time is replaced, as by a repeated resume. */
  public void insert(long scheduleId, List<FireGap> gaps) {
    for (FireGap gap : gaps) {
      jdbc.sql(
              """
              INSERT INTO t_schedule_gap (schedule_id, from_time, to_time, fires, reason)
              VALUES (:id, :from, :to, :fires, :reason)
              ON DUPLICATE KEY UPDATE
                to_time = VALUES(to_time),
                fires = VALUES(fires),
                reason = VALUES(reason)
              """)
          .param("id", scheduleId)
          .param("from", gap.from())
          .param("to", gap.to())
          .param("fires", gap.fires())
          .param("reason", gap.reason().ordinal() + 1)
          .update();
    }
  }

  /** The gaps of a schedule that begin in [from, to), newest first, at most {@code limit}. */
  public List<ScheduleGap> between(long scheduleId, long from, long to, int limit) {
    return jdbc.sql(
            """
            SELECT from_time, to_time, fires, reason
            FROM t_schedule_gap
            WHERE schedule_id = :id
              AND from_time >= :from
              AND from_time < :to
            ORDER BY from_time DESC
            LIMIT :limit
            """)
        .param("id", scheduleId)
        .param("from", from)
        .param("to", to)
        .param("limit", limit)
        .query(
            (rs, row) ->
                new ScheduleGap(
                    rs.getLong(1),
                    rs.getLong(2),
                    rs.getInt(3),
                    GapReason.values()[rs.getInt(4) - 1]))
        .list();
  }

  /** Deletes a page of gaps that ended that long ago; returns how many. */
  public int deleteOld(Duration history, int limit) {
    return jdbc.sql(
            sql(
                """
                DELETE FROM t_schedule_gap
                WHERE to_time < now_ms - :history
                ORDER BY to_time
                LIMIT :limit
                """))
        .param("history", history.toMillis())
        .param("limit", limit)
        .update();
  }
}
