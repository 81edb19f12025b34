package io.asyncflow.flowsvr.event.log;

import io.asyncflow.flowsvr.system.day.DayTables;
import io.asyncflow.flowsvr.system.db.DirectDatabase;
import java.time.Duration;
import java.time.LocalDate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The tables of events: {@code t_event_{yyyymmdd}}, one for each UTC day. */
@Component
public class EventDayStore extends DayTables {

  private static final String FAMILY = "t_event";
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final DirectDatabase database;

  EventDayStore(JdbcClient jdbc, DirectDatabase database) {
    super(jdbc, FAMILY);
    this.database = database;
  }

  static String table(LocalDate day) {
    return table(FAMILY, day);
  }

  /**
   * Creates the table of a day on a connection of its own, because the caller is in a transaction,
   * which DDL would commit.
   */
  void createNow(LocalDate day) {
    create(JdbcClient.create(database.withTimeout(PATIENCE)), FAMILY, day);
  }

  /**
   * In one statement, so that no row takes an id before the first one of the day is set; {@code
   * LIKE} accepts no options.
   */
  @Override
  protected void create(JdbcClient connection, String family, LocalDate day) {
    String template = family + "_template";
    String definition =
        connection
            .sql("SHOW CREATE TABLE " + template)
            .query((rs, row) -> rs.getString(2))
            .single()
            .replace("`" + template + "`", "IF NOT EXISTS " + table(day));
    connection.sql(definition + " AUTO_INCREMENT = " + (EventIds.before(day) + 1)).update();
  }
}
