package io.asyncflow.flowsvr.schedule.core;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.api.schedule.GapReason;
import io.asyncflow.api.schedule.ScheduleGap;
import io.asyncflow.flowsvr.schedule.core.FireStore.Stretch;
import io.asyncflow.rules.schedule.FireGap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * {@code t_schedule_gap}: stretches of fire times that made nothing. A refused fire in one has no
 * row of its own any more. Thread-safe.
 */
@Component
public class GapStore {

  private final JdbcClient jdbc;
  private final FireStore fires;
  private final FireDayStore days;

  GapStore(JdbcClient jdbc, FireStore fires, FireDayStore days) {
    this.jdbc = jdbc;
    this.fires = fires;
    this.days = days;
  }

  /**
   * Inserts the gaps of schedules that the caller has locked; one that begins at the same time is
   * replaced, as by a repeated resume.
   */
  public void insert(Map<Long, List<FireGap>> gapsOfSchedules) {
    List<Stretch> stretches = new ArrayList<>();
    gapsOfSchedules.forEach(
        (id, gaps) -> gaps.forEach(gap -> stretches.add(new Stretch(id, gap.from(), gap.to()))));
    if (stretches.isEmpty()) {
      return;
    }
    fires.dropRefused(stretches, days.existing());
    gapsOfSchedules.forEach(this::insert);
  }

  private void insert(long scheduleId, List<FireGap> gaps) {
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
