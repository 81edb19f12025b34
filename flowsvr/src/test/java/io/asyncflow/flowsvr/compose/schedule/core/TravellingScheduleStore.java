package io.asyncflow.flowsvr.compose.schedule.core;

import java.sql.SQLException;
import java.time.Instant;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Reads schedules in a session of the database whose clock the test sets. Not thread-safe. */
public final class TravellingScheduleStore extends ScheduleStore implements AutoCloseable {

  private final SingleConnectionDataSource session;
  private final JdbcTemplate jdbc;

  private TravellingScheduleStore(SingleConnectionDataSource session) {
    super(JdbcClient.create(session), new JdbcTemplate(session), null);
    this.session = session;
    this.jdbc = new JdbcTemplate(session);
  }

  public static TravellingScheduleStore on(DataSource database) throws SQLException {
    return new TravellingScheduleStore(
        new SingleConnectionDataSource(database.getConnection(), true));
  }

  /** Every statement of this store finds this time, until it is set again. */
  public void travelTo(Instant time) {
    jdbc.execute("SET timestamp = " + time.getEpochSecond());
  }

  /** Gives the session back with its own clock. */
  @Override
  public void close() {
    jdbc.execute("SET timestamp = DEFAULT");
    session.destroy();
  }
}
