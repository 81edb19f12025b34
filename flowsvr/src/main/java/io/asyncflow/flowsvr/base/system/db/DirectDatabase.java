package io.asyncflow.flowsvr.base.system.db;

import static java.util.stream.Collectors.joining;

import com.zaxxer.hikari.HikariDataSource;
import io.asyncflow.flowsvr.base.system.BadSettingException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * Connections outside the pool, for code that must not depend on it. Each is opened on request, and
 * errors are the driver's own.
 */
@Component
public class DirectDatabase {

  /** One of {@code flow.database.session}: its name, its value. */
  private static final Pattern SETTING = Pattern.compile("(\\w+)=('[^']*'|[^,]+)");

  private static final String OTHER_SETTING =
      "SELECT '%1$s', @@session.%1$s FROM DUAL WHERE NOT @@session.%1$s <=> %2$s ";

  private final HikariDataSource pool;
  private final WriterDataSource writer;
  private final String session;

  /**
   * @param session what each session sets, as Connector/J's {@code sessionVariables}
   */
  public DirectDatabase(HikariDataSource pool, @Value("${flow.database.session}") String session) {
    this.pool = pool;
    this.writer =
        pool.getDataSource() instanceof WriterDataSource ofPool
            ? ofPool
            : new WriterDataSource(pool);
    this.session = session;
  }

  /** The database's URL without secrets. */
  public String place() {
    return DatabaseUrl.withoutSecrets(pool.getJdbcUrl());
  }

  /**
   * The first connection of a start; makes the schema where there is none.
   *
   * @param patience as of {@link #withTimeout}
   * @throws BadSettingException if several servers of the database take writes by design, or if it
   *     keeps other settings of the session
   */
  public Connection first(Duration patience) throws SQLException {
    Properties settings = settings(patience);
    settings.setProperty("createDatabaseIfNotExist", "true");
    Connection connection = writer.with(settings).getConnection();
    if (DatabaseNode.of(connection).kind() == DatabaseNode.Kind.GROUP_OF_PRIMARIES) {
      throw new BadSettingException(
          "the database at "
              + place()
              + " is a group of several primaries, whose members do not see each other's locks; run"
              + " it with group_replication_single_primary_mode=ON.");
    }
    requireSession(connection);
    return connection;
  }

  /**
   * An engine or a proxy may keep its own settings without an error: then SQL means another thing.
   */
  private void requireSession(Connection connection) throws SQLException {
    String others =
        SETTING
            .matcher(session)
            .results()
            .map(set -> OTHER_SETTING.formatted(set.group(1), set.group(2)))
            .collect(joining("UNION ALL "));
    if (others.isEmpty()) { // a deployment may set nothing
      return;
    }
    try (Statement statement = connection.createStatement();
        ResultSet other = statement.executeQuery(others)) {
      if (other.next()) {
        throw new BadSettingException(
            "the database at "
                + place()
                + " does not take what the server sets in its sessions ("
                + other.getString(1)
                + " stays '"
                + other.getString(2)
                + "'); have it, or the proxy before it, let sessions set it.");
      }
    }
  }

  /** Whether it leads to a node of Galera. All servers that start have chosen the same one. */
  public static boolean isGalera(Connection connection) throws SQLException {
    return DatabaseNode.of(connection).kind() == DatabaseNode.Kind.GALERA;
  }

  /**
   * A source of connections with this time-out.
   *
   * @param patience for connecting, and for the answer to each statement
   */
  public DataSource withTimeout(Duration patience) {
    return writer.with(settings(patience));
  }

  private Properties settings(Duration patience) {
    Properties settings = new Properties();
    settings.setProperty("sessionVariables", session); // without the limits of requests
    String atMost = Long.toString(Math.max(1, patience.toMillis())); // 0 would mean no limit
    settings.setProperty("connectTimeout", atMost);
    settings.setProperty("socketTimeout", atMost);
    return settings;
  }
}
