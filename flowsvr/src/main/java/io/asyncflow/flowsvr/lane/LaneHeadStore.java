package io.asyncflow.flowsvr.lane;

import static java.util.Collections.nCopies;
import static java.util.stream.Collectors.joining;

import io.asyncflow.flowsvr.tasktable.schema.TableSql;
import io.asyncflow.rules.TaskTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The statement that finds the lanes of workers in which tasks wait. It goes through the lanes of
 * the workers and takes one step into {@code idx_claim} for each, so the lanes of other workers
 * cost nothing, however many tasks wait in them. Thread-safe.
 */
@Component
public class LaneHeadStore {

  /** A task that is due later than this is found by a later look. */
  public static final long HORIZON_MS = 10_000;

  /**
   * The most lanes of one stage of one table in an answer. Of more, each answer has others, so that
   * no lane waits for ever.
   */
  static final int MOST = 1_000;

  static final TableSql HEADS =
      new TableSql(
          """
          (SELECT <place> AS place, l.worker_id, l.lane, (
              SELECT order_time
              FROM %s FORCE INDEX (idx_claim)
              WHERE status = 1
                AND task_stage = ?
                AND lane = l.lane
              ORDER BY order_time
              LIMIT 1) AS order_time,
            now_ms AS db_now
          FROM t_lane_worker l
          WHERE l.worker_id IN (<workers>)
          HAVING order_time <= now_ms + <horizon>
          ORDER BY RAND()
          LIMIT <most>)
          """
              .replace("<horizon>", "" + HORIZON_MS)
              .replace("<most>", "" + MOST));

  private final JdbcClient jdbc;

  LaneHeadStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** A stage of a table. */
  public record Place(TaskTable table, String stage) {}

  /**
   * The first waiting task of a lane of a worker, due now or soon.
   *
   * @param now the database's epoch ms
   */
  public record LaneHead(Place place, String lane, String workerId, long orderTime, long now) {}

  /**
   * What waits for the workers.
   *
   * @param isCut whether there may be more
   */
  public record LaneHeads(List<LaneHead> heads, boolean isCut) {}

  /** The heads of the lanes of these workers. One statement reads fifty places. */
  public LaneHeads heads(List<Place> places, Collection<String> workers) {
    List<LaneHead> heads = new ArrayList<>();
    boolean isCut = false;
    for (List<Place> group : TableSql.groups(places)) {
      List<LaneHead> found = ofGroup(group, workers);
      isCut |= found.size() >= MOST;
      heads.addAll(found);
    }
    return new LaneHeads(heads, isCut);
  }

  private List<LaneHead> ofGroup(List<Place> places, Collection<String> workers) {
    List<String> parts = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < places.size(); i++) {
      parts.add(sql(places.get(i).table(), i, workers.size()));
      values.add(places.get(i).stage());
      values.addAll(workers);
    }
    return jdbc.sql(String.join("UNION ALL\n", parts))
        .params(values)
        .query(
            (rs, row) ->
                new LaneHead(
                    places.get(rs.getInt("place")),
                    rs.getString("lane"),
                    rs.getString("worker_id"),
                    rs.getLong("order_time"),
                    rs.getLong("db_now")))
        .list();
  }

  static String sql(TaskTable table, int place, int workers) {
    return HEADS
        .of(table)
        .replace("<place>", "" + place)
        .replace("<workers>", nCopies(workers, "?").stream().collect(joining(", ")));
  }
}
