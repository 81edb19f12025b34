package io.asyncflow.bench.bed;

import io.asyncflow.dev.embedded.DatabaseEndpoint;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;

/**
 * A table of exactly the shape of a task table, used by plain JDBC with as few and as large
 * statements as can be: what the database gives when nothing stands between.
 *
 * <p>Its name is not that of a task table, so flowsvr does not see it. Thread-safe; the connections
 * are not.
 */
public final class RawTable {

  private static final String WORKER = "raw-jdbc-00000000-0000-0000-0000-000000000000";
  private static final String TRACE = "0123456789abcdef0123456789abcdef";

  /** What the server keeps for a task that ended well, at about the same length. */
  private static final String LOG =
      """
      {"lastData":{"traceId":"%s","errMsg":"","cost":"12ms","stage":"%s","outcome":"SUCCESS",\
      "workerId":"%s","leaseEpoch":1,"time":1700000000000},"historyDatas":[]}"""
          .formatted(TRACE, Workload.STAGE, WORKER);

  /** MariaDB and MySQL have this clock; the server reads the same one. */
  static final String NOW_MS = "CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)";

  private final DatabaseEndpoint database;
  private final String schema;
  private final String name;

  private RawTable(DatabaseEndpoint database, String schema, String name) {
    this.database = database;
    this.schema = schema;
    this.name = name;
  }

  /**
   * A held task.
   *
   * @param context read because a worker would need it
   */
  public record Held(long id, int epoch, String context) {
    public int number() {
      return Workload.numberOf(context);
    }
  }

  /** Makes the table, from the template that the server's migrations have left in the schema. */
  static RawTable create(DatabaseEndpoint database, String schema, String name)
      throws SQLException {
    try (Connection connection = database.connect(schema);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE " + name + " LIKE t_task_template");
    }
    return new RawTable(database, schema, name);
  }

  public String name() {
    return name;
  }

  /** A connection as the server has it, but committing when told to. */
  public Connection connect() throws SQLException {
    Connection connection = database.connect(schema);
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    connection.setAutoCommit(false);
    return connection;
  }

  /**
   * Creates the waiting tasks {@code from} (included) to {@code to} (excluded); the driver sends
   * them as one statement.
   */
  public void insert(Connection connection, int from, int to) throws SQLException {
    String sql =
        """
        INSERT INTO %s
          (id, user_id, task_stage, status, priority, order_time, max_retry_num,
           max_retry_interval, create_time, modify_time, task_context, schedule_log)
        VALUES (?, ?, ?, 1, ?, now_ms + ?, ?, ?, now_ms, now_ms, ?, ?)
        """;
    try (PreparedStatement insert = connection.prepareStatement(on(sql))) {
      for (int number = from; number < to; number++) {
        insert.setLong(1, number + 1L);
        insert.setString(2, Workload.user(number));
        insert.setString(3, Workload.STAGE);
        insert.setInt(4, 0);
        insert.setLong(5, 0);
        insert.setNull(6, Types.INTEGER);
        insert.setNull(7, Types.INTEGER);
        insert.setString(8, Workload.context(number));
        insert.setString(9, "");
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  /** Takes the first due tasks that nobody else is taking. */
  public List<Held> hold(Connection connection, int limit) throws SQLException {
    return markHeld(connection, due(connection, limit, "FOR UPDATE SKIP LOCKED"));
  }

  /** The same for callers that see to it that they are alone. */
  public List<Held> holdUnlocked(Connection connection, int limit) throws SQLException {
    return markHeld(connection, due(connection, limit, ""));
  }

  private List<Held> due(Connection connection, int limit, String lock) throws SQLException {
    String sql =
        """
        SELECT id, lease_epoch, task_context
        FROM %s FORCE INDEX (idx_claim)
        WHERE status = 1
          AND task_stage = ?
          AND lane = ''
          AND order_time <= now_ms
        ORDER BY order_time, id
        LIMIT ?
        """
            + lock;
    List<Held> held = new ArrayList<>(limit);
    try (PreparedStatement select = connection.prepareStatement(on(sql))) {
      select.setString(1, Workload.STAGE);
      select.setInt(2, limit);
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          held.add(new Held(rows.getLong(1), rows.getInt(2) + 1, rows.getString(3)));
        }
      }
    }
    return held;
  }

  private List<Held> markHeld(Connection connection, List<Held> held) throws SQLException {
    if (held.isEmpty()) {
      return held;
    }
    String sql =
        """
        UPDATE %s
        SET status = 2,
            lease_epoch = lease_epoch + 1,
            worker_id = ?,
            trace_id = ?,
            hold_time = now_ms,
            beat_time = 0,
            lease_end = now_ms + 30000,
            progress = NULL,
            modify_time = now_ms
        WHERE status = 1
          AND id IN """;
    String ids = " (?" + ", ?".repeat(held.size() - 1) + ")";
    try (PreparedStatement mark = connection.prepareStatement(on(sql) + ids)) {
      mark.setString(1, WORKER);
      mark.setString(2, TRACE);
      for (int i = 0; i < held.size(); i++) {
        mark.setLong(3 + i, held.get(i).id());
      }
      expect(held.size(), mark.executeUpdate(), "held");
    }
    return held;
  }

  /** Ends held tasks well, in one statement. */
  public void finish(Connection connection, List<Held> held) throws SQLException {
    String sql =
        """
        UPDATE %s t
        JOIN (
          SELECT ? AS id, ? AS epoch, ? AS schedule_log
        """
            + "  UNION ALL SELECT ?, ?, ?\n".repeat(held.size() - 1)
            + """
            ) v ON t.id = v.id
            SET t.status = 4,
                t.delivery_count = 0,
                t.reported_epoch = v.epoch,
                t.schedule_log = v.schedule_log,
                t.modify_time = now_ms
            WHERE t.status = 2
              AND t.lease_epoch = v.epoch
              AND t.reported_epoch < v.epoch
            """;
    try (PreparedStatement finish = connection.prepareStatement(on(sql))) {
      int parameter = 0;
      for (Held task : held) {
        finish.setLong(++parameter, task.id());
        finish.setInt(++parameter, task.epoch());
        finish.setString(++parameter, LOG);
      }
      expect(held.size(), finish.executeUpdate(), "finished");
    }
  }

  /** How many tasks are in a state, by its code. */
  public int count(int status) throws SQLException {
    return TaskCount.of(database, schema, name, status);
  }

  /** How many tasks wait or are held. */
  public int unfinished() throws SQLException {
    return count(1) + count(2);
  }

  private String on(String sql) {
    return sql.replace("now_ms", NOW_MS).formatted(name);
  }

  private void expect(int wanted, int changed, String what) {
    if (changed != wanted) {
      throw new IllegalStateException(
          changed + " of " + wanted + " tasks were " + what + " in " + name);
    }
  }
}
