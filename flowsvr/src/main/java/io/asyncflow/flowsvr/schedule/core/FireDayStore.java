package io.asyncflow.flowsvr.schedule.core;

import static java.util.stream.Collectors.toCollection;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The tables of fires: {@code t_schedule_fire_{yyyymmdd}}, one for each UTC day of fire times. A
 * duty makes them ahead and drops old ones. Thread-safe.
 */
@Component
public class FireDayStore {

  private static final String PREFIX = "t_schedule_fire_";
  private static final DateTimeFormatter DAY = DateTimeFormatter.BASIC_ISO_DATE;

  private final JdbcClient jdbc;
  private final Set<LocalDate> known = ConcurrentHashMap.newKeySet();

  FireDayStore(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** The day of a fire time. */
  public static LocalDate dayOf(long fireTime) {
    return LocalDate.ofInstant(Instant.ofEpochMilli(fireTime), ZoneOffset.UTC);
  }

  /** The epoch ms at which a day begins. */
  public static long startOf(LocalDate day) {
    return day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
  }

  static String table(LocalDate day) {
    return PREFIX + day.format(DAY);
  }

  /** Whether this error says that a table of fires does not exist. */
  public static boolean isMissing(BadSqlGrammarException e) {
    return e.getSQLException().getErrorCode() == 1146;
  }

  /**
   * Creates the tables of these days unless they exist. DDL commits, so there must be no
   * transaction.
   */
  public void ensure(Iterable<LocalDate> days) {
    for (LocalDate day : days) {
      if (!known.contains(day)) {
        jdbc.sql("CREATE TABLE IF NOT EXISTS " + table(day) + " LIKE t_schedule_fire_template")
            .update();
        known.add(day);
      }
    }
  }

  /** Forgets what exists: another server may have dropped a table. */
  public void forget() {
    known.clear();
  }

  /** The existing days, oldest first. */
  public TreeSet<LocalDate> existing() {
    return jdbc
        .sql(
            """
            SELECT table_name
            FROM information_schema.tables
            WHERE table_schema = DATABASE()
              AND table_name LIKE 't\\_schedule\\_fire\\_2%'
            """)
        .query(String.class)
        .list()
        .stream()
        .filter(name -> name.matches(PREFIX + "[0-9]{8}"))
        .map(name -> LocalDate.parse(name.substring(PREFIX.length()), DAY))
        .collect(toCollection(TreeSet::new));
  }

  /** Drops the table of a day with all its fires. */
  public void drop(LocalDate day) {
    known.remove(day);
    jdbc.sql("DROP TABLE IF EXISTS " + table(day)).update();
  }
}
