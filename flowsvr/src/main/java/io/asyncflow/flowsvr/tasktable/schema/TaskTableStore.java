package io.asyncflow.flowsvr.tasktable.schema;

import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.stereotype.Component;

/** The DDL of the families: creates tables, and keeps them in the shape of the template. */
@Component
public class TaskTableStore {

  private static final Logger log = LoggerFactory.getLogger(TaskTableStore.class);
  private static final Pattern SQL_NAME = Pattern.compile("t_(.+)_task_([1-9][0-9]{0,8})");
  private static final TableSql CREATE =
      new TableSql("CREATE TABLE IF NOT EXISTS %s LIKE t_task_template");
  private static final TableSql DROP = new TableSql("DROP TABLE IF EXISTS %s");

  /**
   * Hashed, because a lock's name may have at most 64 characters, as many as a schema's name alone.
   */
  private static final String CHANGE_LOCK = "CONCAT('asyncflow.ddl.', MD5(DATABASE()))";

  private static final int MAX_CHANGE_MS = 3_600_000;
  private static final Duration CHANGE_PAUSE = Duration.ofSeconds(2);
  private static final int CHANGE_ATTEMPTS = 200;

  private final JdbcClient jdbc;
  private final JdbcTemplate jdbcTemplate;

  TaskTableStore(JdbcTemplate jdbcTemplate) {
    this.jdbc = JdbcClient.create(jdbcTemplate);
    this.jdbcTemplate = jdbcTemplate;
  }

  /** Creates the table unless it exists. DDL commits: never call it inside a transaction. */
  public void create(TaskTable table) {
    jdbc.sql(CREATE.of(table)).update();
  }

  public boolean exists(TaskTable table) {
    return jdbc.sql(
            """
            SELECT 1
            FROM information_schema.tables
            WHERE table_schema = DATABASE()
              AND table_name = :name
            """)
        .param("name", table.sqlName())
        .query(Integer.class)
        .optional()
        .isPresent();
  }

  /**
   * Drops the table and all its rows, if it exists; may take long for a large table. DDL commits.
   */
  public void drop(TaskTable table) {
    jdbcTemplate.execute(
        (ConnectionCallback<Boolean>)
            connection -> {
              connection.setNetworkTimeout(Runnable::run, MAX_CHANGE_MS); // the pool resets it
              try (Statement statement = connection.createStatement()) {
                return statement.execute(DROP.of(table));
              }
            });
  }

  /** Adds to an existing table what the template has and the table lacks. */
  public void shapeLikeTemplate(TaskTable table) {
    shapeOf(table).changesTo(templateShape()).forEach(change -> alter(table, change));
  }

  /** All tables in this schema that have the name of a task table. */
  public List<TaskTable> existing() {
    List<TaskTable> found = new ArrayList<>();
    List<String> names =
        jdbc.sql(
                """
                SELECT table_name
                FROM information_schema.tables
                WHERE table_schema = DATABASE()
                  AND table_type = 'BASE TABLE'
                ORDER BY table_name
                """)
            .query(String.class)
            .list();
    for (String name : names) {
      parse(name).ifPresent(found::add);
    }
    return found;
  }

  private static Optional<TaskTable> parse(String sqlName) {
    Matcher matcher = SQL_NAME.matcher(sqlName);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int number = Integer.parseInt(matcher.group(2));
    return TaskType.parse(matcher.group(1))
        .map(type -> new TaskTable(type, number))
        .filter(table -> table.sqlName().equals(sqlName)); // T_Lark_Task_1 is not a task table
  }

  public TableShape templateShape() {
    return shapeOf("t_task_template");
  }

  TableShape shapeOf(TaskTable table) {
    return shapeOf(table.sqlName());
  }

  private TableShape shapeOf(String sqlName) {
    String ddl =
        jdbc.sql("SHOW CREATE TABLE " + sqlName).query((rs, row) -> rs.getString(2)).single();
    return TableShape.parse(ddl);
  }

  /** Whether all task tables are known to have this shape. */
  boolean allHave(TableShape template) {
    return jdbc.sql("SELECT 1 FROM t_task_upgrade WHERE template = :template")
        .param("template", template.digest())
        .query(Integer.class)
        .optional()
        .isPresent();
  }

  /**
   * Stores that all task tables have this shape; later ones have it, because they are created like
   * the template.
   */
  void storeAllHave(TableShape template) {
    jdbc.sql("REPLACE INTO t_task_upgrade (id, template) VALUES (1, :template)")
        .param("template", template.digest())
        .update();
  }

  /**
   * Alters the table. First with ALGORITHM=INSTANT, which changes no row; if the engine cannot do
   * that, with its default algorithm, which may take long for a large table and is logged.
   */
  public void alter(TaskTable table, String change) {
    String statement = "ALTER TABLE " + table.sqlName() + " " + change;
    try {
      runWhenUnused(table, statement + ", ALGORITHM=INSTANT");
    } catch (InvalidDataAccessApiUsageException | UncategorizedSQLException e) {
      log.info("{} cannot be changed instantly, which may take a while: {}", table, change);
      runWhenUnused(table, statement);
    }
  }

  /**
   * Runs the statement when no transaction uses the table. Other statements queue behind a DDL
   * statement that waits, so it gives up soon, lets them run, and tries again.
   */
  private void runWhenUnused(TaskTable table, String statement) {
    for (int attempt = 1; ; attempt++) {
      try {
        jdbc.sql(statement).update();
        return;
      } catch (PessimisticLockingFailureException e) {
        if (attempt == CHANGE_ATTEMPTS || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        if (attempt == 1) {
          log.info("{} is in use by a long transaction, and will be changed when it ends", table);
        }
        LockSupport.parkNanos(CHANGE_PAUSE.toNanos());
      }
    }
  }

  /**
   * Runs {@code work} under the lock for changing tables; waits until no other server has it.
   *
   * @param work receives a store of its own; its statements run on the connection that has the
   *     lock, without the usual time-out
   */
  <T> T underChangeLock(Function<TaskTableStore, T> work) {
    return jdbcTemplate.execute(
        (ConnectionCallback<T>)
            connection -> {
              connection.setNetworkTimeout(Runnable::run, MAX_CHANGE_MS); // the pool resets it
              try (Statement statement = connection.createStatement();
                  Unlock unlock = takeChangeLock(statement)) {
                return work.apply(on(connection));
              }
            });
  }

  /** A resource of a try statement, so that its exception does not hide an earlier one. */
  private interface Unlock extends AutoCloseable {
    @Override
    void close() throws SQLException;
  }

  private static Unlock takeChangeLock(Statement statement) throws SQLException {
    long defaultTimeout = longOf(statement, "SELECT @@lock_wait_timeout");
    statement.execute("SET SESSION lock_wait_timeout = 1"); // see runWhenUnused
    while (longOf(statement, "SELECT GET_LOCK(" + CHANGE_LOCK + ", 10)") != 1) {
      log.info("another server is changing the task tables; waiting until it is done");
    }
    return () -> {
      longOf(statement, "SELECT RELEASE_LOCK(" + CHANGE_LOCK + ")");
      statement.execute("SET SESSION lock_wait_timeout = " + defaultTimeout);
    };
  }

  private static TaskTableStore on(Connection connection) {
    return new TaskTableStore(new JdbcTemplate(new SingleConnectionDataSource(connection, true)));
  }

  private static long longOf(Statement statement, String sql) throws SQLException {
    try (ResultSet answer = statement.executeQuery(sql)) {
      answer.next();
      return answer.getLong(1);
    }
  }
}
