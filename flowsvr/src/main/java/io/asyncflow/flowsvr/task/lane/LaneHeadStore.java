package io.asyncflow.flowsvr.task.lane;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.NOW_MS;
import static java.util.Collections.nCopies;

import io.asyncflow.flowsvr.base.system.db.DatabaseClock;
import io.asyncflow.flowsvr.task.index.Head;
import io.asyncflow.flowsvr.task.index.Source;
import io.asyncflow.flowsvr.task.table.schema.TableSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
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
  static final long HORIZON_MS = 10_000;

  /** The most lanes with waiting tasks in an answer. */
  static final int MOST = 1_000;

  /** The most steps of one statement. Of more lanes than they allow, each look reads others. */
  private static final int MOST_STEPS = 20_000;

  private static final TableSql STEP =
      new TableSql(
          """
          (SELECT order_time
           FROM %s FORCE INDEX (idx_claim)
           WHERE status = 1
             AND task_stage = ?
             AND lane = l.lane
           ORDER BY order_time
           LIMIT 1)\
          """);

  /**
   * The lanes are chosen before the first step, so their number bounds the work. The last one that
   * fits is always in the answer: it tells that there may be more.
   */
  private static final String HEADS =
      DatabaseClock.sql(
          """
          SELECT STRAIGHT_JOIN h.*, w.worker_id, now_ms AS db_now
          FROM (
            SELECT l.n, l.lane, <steps>
            FROM (
              SELECT lane, ROW_NUMBER() OVER (ORDER BY RAND()) AS n
              FROM t_lane_worker FORCE INDEX (PRIMARY)
              WHERE worker_id IN (<workers>)
              GROUP BY lane
              ORDER BY n
              LIMIT <lanes>) l
            HAVING n = <lanes> OR <due>
            LIMIT <most>) h
          JOIN t_lane_worker w ON w.lane = h.lane
          """);

  private final JdbcClient jdbc;

  LaneHeadStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /**
   * What waits in the lanes of workers, due now or soon.
   *
   * @param heads the first task of each source, without its number
   * @param ofWorker the lanes of each worker that are among these
   * @param isCut whether there may be more
   */
  public record LaneHeads(
      Map<Source, Head> heads, Map<String, Set<String>> ofWorker, boolean isCut) {

    public static final LaneHeads NONE = new LaneHeads(Map.of(), Map.of(), false);

    /** These and others. */
    public LaneHeads and(LaneHeads others) {
      if (heads.isEmpty() && !isCut) {
        return others;
      }
      Map<Source, Head> all = new HashMap<>(heads);
      all.putAll(others.heads);
      Map<String, Set<String>> lanes = new HashMap<>();
      for (LaneHeads some : List.of(this, others)) {
        some.ofWorker.forEach(
            (worker, ofOne) ->
                lanes.computeIfAbsent(worker, first -> new HashSet<>()).addAll(ofOne));
      }
      return new LaneHeads(all, lanes, isCut || others.isCut);
    }
  }

  /**
   * The heads of the lanes of these workers. One statement reads fifty places.
   *
   * @param places the stages of tables
   * @param workers the stages that each worker takes; empty for all
   */
  public LaneHeads heads(Collection<Source> places, Map<String, Set<String>> workers) {
    return heads(places, workers, MOST_STEPS);
  }

  /** As {@link #heads(Collection, Map)}, with fewer or more steps. */
  public LaneHeads heads(
      Collection<Source> places, Map<String, Set<String>> workers, int mostSteps) {
    LaneHeads found = new LaneHeads(new HashMap<>(), new HashMap<>(), false);
    boolean isCut = false;
    for (List<Source> group : TableSql.groups(List.copyOf(places))) {
      isCut |= readGroup(group, workers, Math.max(1, mostSteps / group.size()), found);
    }
    return new LaneHeads(found.heads(), found.ofWorker(), isCut);
  }

  /** Returns whether there may be more. */
  private boolean readGroup(
      List<Source> places, Map<String, Set<String>> workers, int mostLanes, LaneHeads found) {
    List<Object> values = new ArrayList<>();
    places.forEach(place -> values.add(place.stage()));
    values.addAll(workers.keySet());
    Set<String> lanes = new HashSet<>();
    AtomicBoolean isCut = new AtomicBoolean();
    jdbc.sql(sql(places, workers.size(), mostLanes))
        .params(values)
        .query(
            rs -> {
              lanes.add(rs.getString("lane"));
              isCut.compareAndSet(false, rs.getInt("n") == mostLanes);
              Set<String> stages = workers.get(rs.getString("worker_id"));
              if (stages != null) {
                addHeads(places, stages, rs, found);
              }
            });
    return isCut.get() || lanes.size() >= MOST;
  }

  private static void addHeads(
      List<Source> places, Set<String> stages, ResultSet rs, LaneHeads found) throws SQLException {
    long now = rs.getLong("db_now");
    for (int i = 0; i < places.size(); i++) {
      Source place = places.get(i);
      long orderTime = rs.getLong("step" + i);
      if (!rs.wasNull()
          && orderTime <= now + HORIZON_MS
          && (stages.isEmpty() || stages.contains(place.stage()))) {
        Source source = new Source(place.table(), place.stage(), rs.getString("lane"));
        found.heads().put(source, new Head(source, 0, orderTime, now));
        found
            .ofWorker()
            .computeIfAbsent(rs.getString("worker_id"), worker -> new HashSet<>())
            .add(source.lane());
      }
    }
  }

  private static String sql(List<Source> places, int workers, int mostLanes) {
    List<String> steps = new ArrayList<>();
    List<String> due = new ArrayList<>();
    for (int i = 0; i < places.size(); i++) {
      steps.add(STEP.of(places.get(i).table()) + " AS step" + i);
      due.add("step" + i + " <= " + NOW_MS + " + " + HORIZON_MS);
    }
    return HEADS
        .replace("<steps>", String.join(",\n", steps))
        .replace("<workers>", String.join(", ", nCopies(workers, "?")))
        .replace("<lanes>", "" + mostLanes)
        .replace("<due>", String.join(" OR ", due))
        .replace("<most>", "" + MOST);
  }
}
