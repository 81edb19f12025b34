package io.asyncflow.flowsvr.task.event.log;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;

import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.base.system.day.DayTables;
import io.asyncflow.flowsvr.base.system.db.DirectDatabase;
import io.asyncflow.flowsvr.base.system.db.IdStep;
import io.asyncflow.flowsvr.base.system.db.StatementGroups;
import io.asyncflow.flowsvr.base.system.db.StatementValues;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * The rows of events, in the tables {@code t_event_{yyyymmdd}}, one for each UTC day. A table that
 * does not exist is read as an empty one. Thread-safe.
 *
 * <p>Rows are inserted by {@code INSERT … VALUES} alone: {@code INSERT … SELECT}, IGNORE and ON
 * DUPLICATE KEY leave ids unused, and every unused id makes readers wait.
 */
@Component
public class EventStore extends DayTables {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String VALUES = sql("(now_ms, ?, ?, ?)");
  private static final int MAX_ROWS_PER_STATEMENT = 500;
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  /** How far {@link #lastBefore} goes back at first. */
  private static final long FIRST_STEP = 1_000;

  private static final RowMapper<LoggedEvent> ROW = (rs, row) -> read(rs);

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;
  private final DirectDatabase database;

  EventStore(JdbcClient jdbc, JdbcTemplate batch, DirectDatabase database) {
    super(jdbc, "t_event");
    this.jdbc = jdbc;
    this.batch = batch;
    this.database = database;
  }

  /**
   * In one statement, so that no row takes an id before the first one of the day is set; {@code
   * LIKE} accepts no options.
   */
  @Override
  protected void create(JdbcClient connection, LocalDate day) {
    String definition =
        connection
            .sql("SHOW CREATE TABLE t_event_template")
            .query((rs, row) -> rs.getString(2))
            .single()
            .replace("`t_event_template`", "IF NOT EXISTS " + table(day));
    connection.sql(definition + " AUTO_INCREMENT = " + (EventIds.before(day) + 1)).update();
  }

  /**
   * Writes events into the table of the present day. The day is read here, under the locks of the
   * caller's transaction: a later event of the same task is never in an earlier table.
   */
  void insert(List<NewEvent> events) {
    LocalDate today = dayOf(now());
    for (List<NewEvent> group : StatementGroups.of(events, MAX_ROWS_PER_STATEMENT)) {
      unlessMissing(
          () -> insert(today, group),
          () -> {
            // On a connection of its own, because DDL would commit the caller's transaction.
            create(JdbcClient.create(database.withTimeout(PATIENCE)), today);
            return insert(today, group);
          });
    }
  }

  private int insert(LocalDate day, List<NewEvent> events) {
    List<Object> values = new ArrayList<>(events.size() * 3);
    for (NewEvent event : events) {
      values.add(event.kind().code());
      values.add(event.type().name());
      values.add(event.body());
    }
    return batch.update(
        "INSERT INTO "
            + table(day)
            + " (event_time, kind, task_type, body) VALUES\n"
            + String.join(",\n", Collections.nCopies(events.size(), VALUES)),
        new StatementValues(values));
  }

  /**
   * A moment of the database.
   *
   * @param time epoch ms
   * @param step of the ids that the session gives out
   */
  public record Moment(long time, IdStep step) {}

  /** The present moment. */
  public Moment moment() {
    return jdbc.sql(sql("SELECT now_ms, @@auto_increment_increment, @@auto_increment_offset"))
        .query((rs, row) -> new Moment(rs.getLong(1), new IdStep(rs.getLong(2), rs.getLong(3))))
        .single();
  }

  /** A range of ids, both ends included. */
  public record Range(long from, long to) {}

  /** The ids above one and up to another that a step does not reach. */
  public record Remainder(long after, long to, IdStep step) {}

  /** The events of a day with ids above {@code after}, in their order. */
  public List<LoggedEvent> after(LocalDate day, long after, int limit) {
    return select(day, "id > ? ORDER BY id LIMIT ?", List.of(after, limit));
  }

  /** The ids of the events of a day above {@code after}, in their order. */
  public List<Long> idsAfter(LocalDate day, long after, int limit) {
    return select(
        "id", day, "id > ? ORDER BY id LIMIT ?", List.of(after, limit), (rs, row) -> rs.getLong(1));
  }

  /** The ids of the events of a day in these remainders. */
  public List<Long> idsOf(LocalDate day, List<Remainder> remainders) {
    List<Object> bounds = new ArrayList<>(4 * remainders.size());
    for (Remainder each : remainders) {
      IdStep step = each.step();
      Collections.addAll(bounds, each.after(), each.to(), step.offset(), step.increment());
    }
    String one = "id > ? AND id <= ? AND MOD(id - ?, ?) <> 0";
    String which = String.join(" OR ", Collections.nCopies(remainders.size(), one));
    return select("id", day, which, bounds, (rs, row) -> rs.getLong(1));
  }

  /** The events of a day in these ranges. */
  public List<LoggedEvent> within(LocalDate day, List<Range> ranges) {
    List<Object> bounds = new ArrayList<>(2 * ranges.size());
    ranges.forEach(range -> Collections.addAll(bounds, range.from(), range.to()));
    return select(
        day, String.join(" OR ", Collections.nCopies(ranges.size(), "id BETWEEN ? AND ?")), bounds);
  }

  /**
   * The first events above one id and up to another, in their order, over all days.
   *
   * @param limit the most events
   */
  public List<LoggedEvent> page(long after, long upTo, int limit) {
    List<LoggedEvent> page = new ArrayList<>();
    LocalDate last = EventIds.dayOf(upTo);
    for (LocalDate day = EventIds.dayOf(after);
        page.size() < limit && !day.isAfter(last);
        day = day.plusDays(1)) {
      List<Object> bounds = List.of(after, upTo, limit - page.size());
      page.addAll(select(day, "id > ? AND id <= ? ORDER BY id LIMIT ?", bounds));
    }
    return page;
  }

  /**
   * An id of a day below which every event was written before this time, and which is not far below
   * the last such event; if there is none, the id below all ids of the day.
   *
   * @param time epoch ms
   */
  public long lastBefore(LocalDate day, long time) {
    long last = lastOf(day);
    for (long back = FIRST_STEP; ; back *= 4) {
      List<LoggedEvent> found = newest(day, last - back);
      if (found.isEmpty()) {
        return EventIds.before(day);
      }
      if (found.get(0).time() < time) {
        return found.get(0).id();
      }
    }
  }

  /** The highest id of a day; if the day has no event, the id below all ids of the day. */
  long lastOf(LocalDate day) {
    return newest(day, Long.MAX_VALUE).stream()
        .mapToLong(LoggedEvent::id)
        .findFirst()
        .orElse(EventIds.before(day));
  }

  /** The last event of a day up to an id; empty if there is none. */
  private List<LoggedEvent> newest(LocalDate day, long upTo) {
    return select(day, "id <= ? ORDER BY id DESC LIMIT 1", List.of(upTo));
  }

  private List<LoggedEvent> select(LocalDate day, String which, List<?> params) {
    return select("id, event_time, kind, task_type, body", day, which, params, ROW);
  }

  private <T> List<T> select(
      String columns, LocalDate day, String which, List<?> params, RowMapper<T> row) {
    String sql = "SELECT " + columns + " FROM " + table(day) + " WHERE " + which;
    return unlessMissing(() -> jdbc.sql(sql).params(params).query(row).list(), List::of);
  }

  private static LoggedEvent read(ResultSet rs) throws SQLException {
    long id = rs.getLong(1);
    long time = rs.getLong(2);
    return new LoggedEvent(
        id,
        time,
        JSON.readValue(rs.getString(5), Event.class)
            .written("" + id, time, EventKind.ofCode(rs.getInt(3)).orElse(null), rs.getString(4)));
  }
}
