package io.asyncflow.flowsvr.task.event.log;

import io.asyncflow.api.event.Event;
import io.asyncflow.api.event.EventKind;
import io.asyncflow.flowsvr.base.system.db.DirectDatabase;
import io.asyncflow.rules.TaskType;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Reads and writes events in a session of the database whose clock the test sets. */
public final class TravellingEventStore extends EventStore implements AutoCloseable {

  private final SingleConnectionDataSource session;
  private final JdbcTemplate jdbc;

  private TravellingEventStore(SingleConnectionDataSource session, DirectDatabase direct) {
    super(JdbcClient.create(session), new JdbcTemplate(session), direct);
    this.session = session;
    this.jdbc = new JdbcTemplate(session);
  }

  public static TravellingEventStore on(DataSource database, DirectDatabase direct)
      throws SQLException {
    return new TravellingEventStore(
        new SingleConnectionDataSource(database.getConnection(), true), direct);
  }

  /** Every statement of this store finds this time, until it is set again. */
  public void travelTo(Instant time) {
    jdbc.execute("SET timestamp = " + time.getEpochSecond());
  }

  /** The session gives out ids by this step from now on. */
  public void stepBy(int increment, int offset) {
    jdbc.execute("SET auto_increment_increment = " + increment);
    jdbc.execute("SET auto_increment_offset = " + offset);
  }

  /** Writes an event of this schedule. */
  public void write(TaskType type, String scheduleId) {
    Event event = Event.ofSchedule(scheduleId, "ACTIVE", null);
    insert(List.of(NewEvent.of(EventKind.SCHEDULE_STATE, type, event)));
  }

  /** Gives the session back with its own clock and step. */
  @Override
  public void close() {
    stepBy(1, 1);
    jdbc.execute("SET timestamp = DEFAULT");
    session.destroy();
  }
}
