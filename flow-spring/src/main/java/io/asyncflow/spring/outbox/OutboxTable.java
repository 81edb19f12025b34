package io.asyncflow.spring.outbox;

import io.asyncflow.api.OneLine;
import io.asyncflow.spring.SetupException;
import io.asyncflow.spring.outbox.OutboxProperties.InitializeSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The table of one application's outbox, in H2, MySQL, MariaDB or PostgreSQL.
 *
 * <p>Instances claim rows by locking them ({@code SKIP LOCKED}) until their transaction ends, so a
 * row of an instance that dies is free at once.
 */
public final class OutboxTable {

  static final String DEFAULT_NAME = "asyncflow_outbox";

  private static final String SCHEMA = "io/asyncflow/spring/outbox/schema.sql";

  private static final String INSERT =
      """
      INSERT INTO @table@ (due_ms, id, attempts, task)
      VALUES (0, ?, 0, ?)
      """;

  /** The new ones in their order, then those that were refused before. */
  private static final String CLAIM =
      """
      SELECT due_ms, id, attempts, task
        FROM @table@
       WHERE due_ms <= ?
       ORDER BY due_ms, id
       LIMIT ?
         FOR UPDATE SKIP LOCKED
      """;

  private static final String DELETE =
      """
      DELETE FROM @table@
       WHERE due_ms = ?
         AND id = ?
      """;

  private static final String POSTPONE =
      """
      UPDATE @table@
         SET due_ms = ?,
             attempts = attempts + 1,
             refusal = ?
       WHERE due_ms = ?
         AND id = ?
      """;

  /** No more than this, so that a look at a long table stays cheap. */
  private static final String COUNT =
      """
      SELECT COUNT(*)
        FROM (SELECT id
                FROM @table@
               WHERE due_ms BETWEEN ? AND ?
               LIMIT 100000) AS counted
      """;

  /** Perhaps after that of its schema. */
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}(\\.[A-Za-z_][A-Za-z0-9_]{0,62})?");

  /** Of a row that is never sent again, unless somebody sets its time back. */
  private static final long NEVER = Long.MAX_VALUE;

  private static final int MOST_REFUSAL = 1_000;

  /** With MySQL's default, the lock of a claim would cover the gap into which others insert. */
  private static final TransactionDefinition CLAIMING =
      new TransactionDefinition() {
        @Override
        public int getIsolationLevel() {
          return ISOLATION_READ_COMMITTED;
        }
      };

  private final String name;
  private final JdbcTemplate jdbc;
  private final PlatformTransactionManager transactions;

  /** Whether a connection commits by itself outside of transactions; false until that is known. */
  private volatile boolean commitsByDefault;

  /**
   * @param name one of a table; {@link #isName}
   */
  OutboxTable(DataSource dataSource, String name) {
    if (!isName(name)) {
      throw new IllegalArgumentException("no name of a table: " + name);
    }
    this.name = name;
    jdbc = new JdbcTemplate(dataSource);
    transactions = new DataSourceTransactionManager(dataSource);
  }

  /** Whether a table may be called so. */
  static boolean isName(String name) {
    return name != null && NAME.matcher(name).matches();
  }

  String name() {
    return name;
  }

  private String of(String statement) {
    return statement.replace("@table@", name);
  }

  void initialize(InitializeSchema when) {
    if (when == InitializeSchema.ALWAYS || when == InitializeSchema.EMBEDDED && isInMemory()) {
      byte[] ddl = ddl().replace(DEFAULT_NAME, name).getBytes(StandardCharsets.UTF_8);
      new ResourceDatabasePopulator(new ByteArrayResource(ddl)).execute(jdbc.getDataSource());
    }
  }

  private static String ddl() {
    try {
      return new ClassPathResource(SCHEMA).getContentAsString(StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isInMemory() {
    ConnectionCallback<Boolean> look =
        connection -> connection.getMetaData().getURL().startsWith("jdbc:h2:mem:");
    return Boolean.TRUE.equals(jdbc.execute(look));
  }

  /**
   * @throws SetupException if there is no such table, or the database has no such claims
   */
  void requireUsable() {
    try {
      claim(rows -> null, 1, -1);
      commitsByDefault =
          Boolean.TRUE.equals(
              jdbc.execute((ConnectionCallback<Boolean>) Connection::getAutoCommit));
    } catch (DataAccessException e) {
      throw new SetupException(
          "The table "
              + name
              + " of the outbox cannot be used: "
              + OneLine.of(String.valueOf(e.getMostSpecificCause().getMessage())),
          "Create it with "
              + SCHEMA
              + " of flow-spring, or set asyncflow.client.outbox.initialize-schema=always. H2,"
              + " MySQL 8, MariaDB 10.6 and PostgreSQL have what it needs.",
          e);
    }
  }

  /**
   * Adds rows in the transaction of this thread.
   *
   * @throws IllegalStateException if that is of another database
   */
  void insert(List<OutboxTask> rows) {
    // Where no connection commits by itself, one says nothing of a transaction: only what a manager
    // of transactions has bound to the thread does.
    if (!commitsByDefault && !TransactionSynchronizationManager.hasResource(dataSource())) {
      throw notHere();
    }
    jdbc.execute(
        (Connection connection) -> {
          if (connection.getAutoCommit()) {
            throw notHere();
          }
          return null;
        });
    jdbc.batchUpdate(
        of(INSERT), rows.stream().map(row -> new Object[] {row.id(), row.json()}).toList());
  }

  private DataSource dataSource() {
    return Objects.requireNonNull(jdbc.getDataSource());
  }

  private IllegalStateException notHere() {
    return new IllegalStateException(
        "the transaction of this thread is not one of the database that has the table " + name);
  }

  /**
   * Locks up to {@code limit} rows that are due, and keeps the lock while {@code use} runs. What it
   * does to the table is committed when it returns, and undone if it throws.
   */
  <T> T claim(Function<List<OutboxTask>, T> use, int limit, long nowMs) {
    TransactionStatus transaction = transactions.getTransaction(CLAIMING);
    T result;
    try {
      result = use.apply(jdbc.query(of(CLAIM), OutboxTable::row, nowMs, limit));
    } catch (RuntimeException | Error e) {
      undo(transaction, e);
      throw e;
    }
    transactions.commit(transaction);
    return result;
  }

  private static OutboxTask row(ResultSet row, int number) throws SQLException {
    return OutboxTask.read(
        row.getLong("due_ms"), row.getString("id"), row.getInt("attempts"), row.getString("task"));
  }

  /** TransactionTemplate would log as an error that a database is away, besides the caller. */
  private void undo(TransactionStatus transaction, Throwable why) {
    try {
      transactions.rollback(transaction);
    } catch (TransactionException e) {
      why.addSuppressed(e);
    }
  }

  void delete(List<OutboxTask> rows) {
    jdbc.batchUpdate(
        of(DELETE), rows.stream().map(row -> new Object[] {row.dueMs(), row.id()}).toList());
  }

  void postpone(OutboxTask row, long dueMs, String refusal) {
    jdbc.update(of(POSTPONE), dueMs, fitting(refusal), row.dueMs(), row.id());
  }

  /** Keeps a row that is not sent again. */
  void giveUp(OutboxTask row, String refusal) {
    postpone(row, NEVER, refusal);
  }

  /** How many rows are not sent yet and were not refused. */
  long waiting() {
    return count(0, 0);
  }

  /** How many rows were refused and are sent again later. */
  long postponed() {
    return count(1, NEVER - 1);
  }

  /** How many rows were refused and are not sent again. */
  long refused() {
    return count(NEVER, NEVER);
  }

  private long count(long fromMs, long toMs) {
    Long rows = jdbc.queryForObject(of(COUNT), Long.class, fromMs, toMs);
    return rows == null ? 0 : rows;
  }

  /** In ASCII: a letter that the table's character set lacks would undo the whole turn. */
  private static String fitting(String text) {
    String ascii = text.replaceAll("[^ -~]", "?");
    return ascii.length() <= MOST_REFUSAL ? ascii : ascii.substring(0, MOST_REFUSAL);
  }
}
