package io.asyncflow.flowsvr.base.system.day;

import static io.asyncflow.flowsvr.base.system.db.DatabaseClock.sql;
import static java.util.stream.Collectors.toCollection;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A family of tables, one a UTC day: {@code {family}_{yyyymmdd}}, each with the columns of {@code
 * {family}_template}. A duty makes them ahead and drops old ones, so cleaning is a DROP a day.
 * Thread-safe.
 */
public class DayTables {

  private static final DateTimeFormatter DAY = DateTimeFormatter.BASIC_ISO_DATE;
  private static final int NO_SUCH_TABLE = 1146;
  private static final int DAYS_AHEAD = 2;

  private final JdbcClient jdbc;
  private final String family;
  private final Set<LocalDate> known = ConcurrentHashMap.newKeySet();

  protected DayTables(JdbcClient jdbc, String family) {
    this.jdbc = jdbc;
    this.family = family;
  }

  /** The day of a time, epoch ms. */
  public static LocalDate dayOf(long time) {
    return LocalDate.ofInstant(Instant.ofEpochMilli(time), ZoneOffset.UTC);
  }

  /** The epoch ms at which a day begins. */
  public static long startOf(LocalDate day) {
    return day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
  }

  /** Epoch ms on the database's clock. */
  public long now() {
    return jdbc.sql(sql("SELECT now_ms")).query(Long.class).single();
  }

  protected String table(LocalDate day) {
    return family + "_" + day.format(DAY);
  }

  /** The result of a statement; if a table that it names does not exist, that of another one. */
  protected static <T> T unlessMissing(Supplier<T> statement, Supplier<T> ifMissing) {
    try {
      return statement.get();
    } catch (BadSqlGrammarException e) {
      if (e.getSQLException().getErrorCode() != NO_SUCH_TABLE) {
        throw e;
      }
    }
    return ifMissing.get();
  }

  /**
   * Creates the tables of these days unless they exist. DDL commits, so there must be no
   * transaction.
   */
  public void ensure(Iterable<LocalDate> days) {
    for (LocalDate day : days) {
      if (!known.contains(day)) {
        create(jdbc, day);
        known.add(day);
      }
    }
  }

  /** Creates the table of a day unless it exists. */
  protected void create(JdbcClient database, LocalDate day) {
    database
        .sql("CREATE TABLE IF NOT EXISTS " + table(day) + " LIKE " + family + "_template")
        .update();
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
              AND table_name LIKE :names
            """)
        .param("names", family.replace("_", "\\_") + "\\_2%")
        .query(String.class)
        .list()
        .stream()
        .filter(name -> name.matches(family + "_[0-9]{8}"))
        .map(name -> LocalDate.parse(name.substring(family.length() + 1), DAY))
        .collect(toCollection(TreeSet::new));
  }

  /** Drops the table of a day with all its rows. */
  public void drop(LocalDate day) {
    known.remove(day);
    jdbc.sql("DROP TABLE IF EXISTS " + table(day)).update();
  }

  /**
   * Makes the tables of today and of the next days, so that no row waits for DDL, and drops those
   * that are older than the history.
   *
   * @return the number of dropped tables
   */
  public int keep(Duration history) {
    LocalDate today = dayOf(now());
    forget(); // a table may have been dropped by hand
    ensure(IntStream.rangeClosed(0, DAYS_AHEAD).mapToObj(today::plusDays).toList());
    return dropBefore(today.minusDays(history.toDays()));
  }

  /** Drops the tables of earlier days; returns their number. */
  public int dropBefore(LocalDate first) {
    List<LocalDate> old = List.copyOf(existing().headSet(first));
    old.forEach(this::drop);
    return old.size();
  }
}
