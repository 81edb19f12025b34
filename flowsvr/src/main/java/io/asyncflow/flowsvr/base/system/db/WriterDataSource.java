package io.asyncflow.flowsvr.base.system.db;

import static java.util.Comparator.comparingInt;

import com.zaxxer.hikari.HikariConfig;
import io.asyncflow.flowsvr.base.system.db.DatabaseNode.Kind;
import io.asyncflow.flowsvr.base.system.db.DatabaseUrl.Host;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.BeanUtils;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.util.ClassUtils;

/**
 * Connections to the one database server that takes writes. Where the URL names several hosts, they
 * are asked; where it names one, as that of a proxy or of a managed database, the connection is the
 * driver's.
 *
 * <p>Of Galera's nodes each takes writes, and two that do so at once break what locks are relied on
 * for. So the writer is a row, {@code t_leader} for the role {@code writer}, which all servers
 * read. It stays while its node is synced with the cluster's majority. Where it is not, the node of
 * the lowest index becomes the writer, by an UPDATE of the row through that node: of two servers
 * that choose differently, the cluster lets one commit.
 *
 * <p>Thread-safe.
 */
public class WriterDataSource extends AbstractDataSource {

  private static final Logger log = LoggerFactory.getLogger(WriterDataSource.class);

  private static final String DRIVER = "com.mysql.cj.jdbc.Driver";

  /** For a host to answer when it is asked whether it takes writes. */
  private static final String PATIENCE_MS = "700";

  /**
   * For which the thread of a pool that makes connections waits in an outage. After a failure it
   * pauses, up to 5 s, and would find the end of an outage that late.
   */
  private static final long OUTAGE_WAIT = TimeUnit.SECONDS.toNanos(30);

  /** The table does not exist; nor does the database. */
  private static final List<Integer> NOT_THERE_YET = List.of(1146, 1049);

  private final HikariConfig settings;
  private volatile Target target;
  private volatile Writer writer;
  private volatile boolean isPaused;
  private final Object resumed = new Object();

  /** Of the last search, if it found none; guarded by this, as is its time, ns, monotonic. */
  private SQLException lastFailure;

  private long failedAt;

  /**
   * @param settings with URL, driver, credentials and properties when the first connection is made
   */
  public WriterDataSource(HikariConfig settings) {
    this.settings = settings;
  }

  /** A host whose server takes the writes. */
  record Writer(Host host, DatabaseNode node) {}

  /** The row that names the writer. */
  private record Chosen(String node, long term) {}

  /** Where connections go and how, as read once: a parsed URL and a driver. */
  private record Target(Driver driver, DatabaseUrl url, List<Host> hosts, Properties properties) {

    Connection to(Host host, Properties own) throws SQLException {
      Properties all = new Properties();
      all.putAll(properties);
      all.putAll(host.properties());
      all.putAll(own);
      all.values().removeIf(""::equals); // the driver makes half a statement of no sessionVariables
      return driver.connect(host.url(), all);
    }
  }

  private Target target() {
    Target known = target;
    if (known == null) {
      known = read(); // two threads may read the same
      target = known;
    }
    return known;
  }

  private Target read() {
    Properties properties = new Properties();
    properties.putAll(settings.getDataSourceProperties());
    Optional.ofNullable(settings.getUsername()).ifPresent(user -> properties.put("user", user));
    Optional.ofNullable(settings.getPassword())
        .ifPresent(secret -> properties.put("password", secret));
    String named = Objects.requireNonNullElse(settings.getDriverClassName(), DRIVER);
    Class<?> driver = ClassUtils.resolveClassName(named, null);
    DatabaseUrl url = DatabaseUrl.parse(settings.getJdbcUrl()).orElseThrow();
    return new Target((Driver) BeanUtils.instantiateClass(driver), url, url.hosts(), properties);
  }

  /** For pools; waits while it is {@link #pause}d. */
  @Override
  public Connection getConnection() throws SQLException {
    awaitEndOfPause();
    return connect(new Properties());
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return getConnection();
  }

  /** The database does not answer: pools wait for {@link #resume} before they try again. */
  void pause() {
    isPaused = true;
  }

  void resume() {
    isPaused = false;
    synchronized (resumed) {
      resumed.notifyAll();
    }
  }

  private void awaitEndOfPause() throws SQLException {
    long end = System.nanoTime() + OUTAGE_WAIT;
    synchronized (resumed) {
      for (long left = OUTAGE_WAIT; isPaused && left > 0; left = end - System.nanoTime()) {
        try {
          TimeUnit.NANOSECONDS.timedWait(resumed, left);
        } catch (InterruptedException e) { // the pool is closed
          Thread.currentThread().interrupt();
          throw new SQLTransientConnectionException("interrupted", "08S01", e);
        }
      }
    }
  }

  @Override
  public void setLoginTimeout(int seconds) {
    // the driver's own settings say how long
  }

  /** The same connections with other properties of the driver. */
  DataSource with(Properties own) {
    return new AbstractDataSource() {
      @Override
      public Connection getConnection() throws SQLException {
        return connect(own);
      }

      @Override
      public Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
      }
    };
  }

  private Connection connect(Properties own) throws SQLException {
    Target target = target();
    List<Host> hosts = target.hosts();
    if (hosts.size() == 1) {
      return target.to(hosts.get(0), own);
    }
    long askedAt = System.nanoTime();
    Writer known = writer;
    if (known != null) {
      try {
        Connection connection = target.to(known.host(), own);
        if (isStill(known, connection)) {
          return connection;
        }
      } catch (SQLException e) {
        log.debug("the writer at {} gives no connection", known.host().place(), e);
      }
    }
    return target.to(find(target, known, askedAt).host(), own);
  }

  /** Closes the connection if not. */
  private static boolean isStill(Writer known, Connection connection) throws SQLException {
    DatabaseNode node = null;
    try {
      node = known.node().again(connection);
    } finally {
      if (node == null || !node.takesWrites() || !node.id().equals(known.node().id())) {
        connection.close();
        node = null;
      }
    }
    return node != null;
  }

  /**
   * What the server at the end of a connection says now.
   *
   * @param before what it said before; {@code null} for a new connection
   * @return it takes writes only if it is the chosen one, too
   */
  DatabaseNode ask(Connection connection, DatabaseNode before) throws SQLException {
    DatabaseNode now = before == null ? DatabaseNode.of(connection) : before.again(connection);
    return now.kind() == Kind.GALERA
            && hasSeveralHosts()
            && chosen(connection, "").filter(row -> !row.node().equals(now.id())).isPresent()
        ? now.readOnly()
        : now;
  }

  /** Has the writer found anew for the next connection. */
  void forget() {
    writer = null;
  }

  /** Whether there are hosts to choose from. */
  boolean hasSeveralHosts() {
    return target().hosts().size() > 1;
  }

  /**
   * Finds the writer, unless another thread has looked meanwhile.
   *
   * @param askedAt ns, monotonic: when the caller began
   */
  private synchronized Writer find(Target target, Writer known, long askedAt) throws SQLException {
    if (writer != known && writer != null) {
      return writer;
    }
    if (lastFailure != null && failedAt - askedAt >= 0) {
      throw new SQLTransientConnectionException(lastFailure.getMessage(), "08S01", lastFailure);
    }
    Map<Connection, Writer> candidates = new LinkedHashMap<>();
    try {
      writer = choose(target, candidates, candidates(target, candidates));
      lastFailure = null;
      return writer;
    } catch (SQLException e) {
      lastFailure = e;
      failedAt = System.nanoTime();
      throw e;
    } finally {
      for (Connection connection : candidates.keySet()) {
        connection.close();
      }
    }
  }

  /** Asks the hosts, up to the first that takes writes by itself; returns the last failure. */
  private static SQLException candidates(Target target, Map<Connection, Writer> candidates) {
    Properties soon = new Properties();
    soon.setProperty("connectTimeout", PATIENCE_MS);
    soon.setProperty("socketTimeout", PATIENCE_MS);
    SQLException last = null;
    for (Host host : target.hosts()) {
      try {
        Connection connection = target.to(host.withoutSchema(), soon);
        candidates.put(connection, new Writer(host, DatabaseNode.NONE));
        DatabaseNode node = DatabaseNode.of(connection);
        candidates.put(connection, new Writer(host, node));
        if (node.takesWrites() && node.kind() != Kind.GALERA) {
          break;
        }
      } catch (SQLException e) {
        last = e;
        log.debug("the database at {} does not say whether it takes writes", host.place(), e);
      }
    }
    return last;
  }

  private static Writer choose(Target target, Map<Connection, Writer> candidates, SQLException last)
      throws SQLException {
    Map.Entry<Connection, Writer> first =
        candidates.entrySet().stream()
            .filter(candidate -> candidate.getValue().node().isBetterThanNone())
            .min(comparingInt(candidate -> candidate.getValue().node().rank()))
            .orElseThrow(
                () ->
                    new SQLTransientConnectionException(
                        "no host of " + target.url().place() + " takes writes", "08S01", last));
    if (first.getValue().node().kind() != Kind.GALERA) {
      return first.getValue();
    }
    String schema = target.url().schemaPrefix();
    try (Statement statement = first.getKey().createStatement()) {
      statement.execute("SET SESSION wsrep_sync_wait = 1"); // another server may have chosen
    }
    Optional<Chosen> row = chosen(first.getKey(), schema);
    Optional<Writer> ofRow =
        candidates.values().stream()
            .filter(candidate -> candidate.node().takesWrites())
            .filter(
                candidate -> row.filter(r -> r.node().equals(candidate.node().id())).isPresent())
            .findFirst();
    if (ofRow.isPresent()
        || row.isEmpty()
        || row.get().node().equals(first.getValue().node().id())) {
      return ofRow.orElse(first.getValue());
    }
    if (!row.get().node().isEmpty() && isInUse(first.getKey(), schema, row.get().node())) {
      throw new SQLTransientConnectionException(
          "others write to a server of the database that this one does not reach", "08S01", last);
    }
    try (PreparedStatement change =
        first
            .getKey()
            .prepareStatement(
                "UPDATE "
                    + schema
                    + "t_leader SET leader = ?, term = term + 1"
                    + " WHERE role = 'writer' AND term = ?")) {
      change.setString(1, first.getValue().node().id());
      change.setLong(2, row.get().term());
      if (change.executeUpdate() == 0) {
        throw new SQLTransientConnectionException("another server chose the writer", "08S01");
      }
    }
    log.warn("the database at {} takes the writes from now on", first.getValue().host().place());
    return first.getValue();
  }

  /**
   * Whether a server has written through this node a moment ago. Only what all servers miss is
   * replaced: one that does not reach the node, or is refused by it, would take it from the others.
   */
  private static boolean isInUse(Connection connection, String schema, String node)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet beats =
            statement.executeQuery(
                "SELECT 1 FROM "
                    + schema
                    + "t_server_number WHERE database_node = '"
                    + node.replace("'", "''")
                    + "' AND beat_time > "
                    + DatabaseClock.NOW_MS
                    + " - 5000 LIMIT 1")) {
      return beats.next();
    }
  }

  /** The node that the row names; empty before there are tables. */
  private static Optional<Chosen> chosen(Connection connection, String schema) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT leader, term FROM " + schema + "t_leader WHERE role = 'writer'")) {
      return row.next()
          ? Optional.of(new Chosen(row.getString(1), row.getLong(2)))
          : Optional.empty();
    } catch (SQLException e) {
      if (NOT_THERE_YET.contains(e.getErrorCode())) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
