package io.asyncflow.flowsvr.event.log;

import static io.asyncflow.flowsvr.system.db.DatabaseClock.sql;

import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.system.db.StatementGroups;
import io.asyncflow.flowsvr.system.db.StatementValues;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * The rows of events. A table that does not exist is read as an empty one. Thread-safe.
 *
 * <p>Rows are inserted by {@code INSERT … VALUES} alone: {@code INSERT … SELECT}, IGNORE and ON
 * DUPLICATE KEY leave ids unused, and every unused id makes readers wait.
 */
@Component
public class EventStore {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String VALUES = sql("(now_ms, ?, ?, ?)");
  private static final int MAX_ROWS_PER_STATEMENT = 500;

  /** How far {@link #lastBefore} goes back at first. */
  private static final long FIRST_STEP = 1_000;

  private static final RowMapper<LoggedEvent> ROW = (rs, row) -> read(rs);

  private final JdbcClient jdbc;
  private final JdbcTemplate batch;
  private final EventDayStore days;

  EventStore(JdbcClient jdbc, JdbcTemplate batch, EventDayStore days) {
    this.jdbc = jdbc;
    this.batch = batch;
    this.days = days;
  }

  /** Epoch ms on the database's clock. */
  public long now() {
    return jdbc.sql(sql("SELECT now_ms")).query(Long.class).single();
  }

  /**
   * Writes events into the table of the present day. The day is read here, under the locks of the
   * caller's transaction: a later event of the same task is never in an earlier table.
   */
  void insert(List<NewEvent> events) {
    LocalDate today = EventDayStore.dayOf(now());
    for (List<NewEvent> group : StatementGroups.of(events, MAX_ROWS_PER_STATEMENT)) {
      try {
        insert(today, group);
      } catch (BadSqlGrammarException e) {
        if (!EventDayStore.isMissing(e)) {
          throw e;
        }
        days.createNow(today);
        insert(today, group);
      }
    }
  }

  private void insert(LocalDate day, List<NewEvent> events) {
    List<Object> values = new ArrayList<>(events.size() * 3);
    for (NewEvent event : events) {
      values.add(event.kind().code());
      values.add(event.type().name());
      values.add(event.body());
    }
    batch.update(
        "INSERT INTO "
            + EventDayStore.table(day)
            + " (event_time, kind, task_type, body) VALUES\n"
            + String.join(",\n", Collections.nCopies(events.size(), VALUES)),
        new StatementValues(values));
  }

  /** A range of ids, both ends included. */
  public record Range(long from, long to) {}

  /** The events of a day with ids above {@code after}, in their order. */
  public List<LoggedEvent> after(LocalDate day, long after, int limit) {
    return select(day, "id > ? ORDER BY id LIMIT ?", List.of(after, limit));
  }

  /** The ids of the events of a day above {@code after}, in their order. */
  public List<Long> idsAfter(LocalDate day, long after, int limit) {
    return select(
        "id", day, "id > ? ORDER BY id LIMIT ?", List.of(after, limit), (rs, row) -> rs.getLong(1));
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
    String table = EventDayStore.table(day);
    try {
      return jdbc.sql("SELECT " + columns + " FROM " + table + " WHERE " + which)
          .params(params)
          .query(row)
          .list();
    } catch (BadSqlGrammarException e) {
      if (EventDayStore.isMissing(e)) {
        return List.of();
      }
      throw e;
    }
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
