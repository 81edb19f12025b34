package io.asyncflow.flowsvr.tasktable;

import io.asyncflow.flowsvr.tasktype.TaskType;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.stereotype.Component;

/** The DDL of the families: makes tables like the template and keeps them like it. */
@Component
class TaskTableStore {

  private static final Logger log = LoggerFactory.getLogger(TaskTableStore.class);
  private static final Pattern SQL_NAME = Pattern.compile("t_(.+)_task_([1-9][0-9]{0,8})");
  private static final TableSql CREATE =
      new TableSql("CREATE TABLE IF NOT EXISTS %s LIKE t_task_template");

  /** Hashed, because a lock's name may have 64 characters and a schema's name alone may, too. */
  private static final String CHANGE_LOCK = "CONCAT('asyncflow.ddl.', MD5(DATABASE()))";

  private final JdbcClient jdbc;
  private final JdbcTemplate jdbcTemplate;

  TaskTableStore(JdbcTemplate jdbcTemplate) {
    this.jdbc = JdbcClient.create(jdbcTemplate);
    this.jdbcTemplate = jdbcTemplate;
  }

  /** Makes the table unless it exists. DDL commits: never call it inside a transaction. */
  void create(TaskTable table) {
    jdbc.sql(CREATE.of(table)).update();
  }

  /** Every table of every family in this schema, by its name alone. */
  List<TaskTable> existing() {
    List<TaskTable> found = new ArrayList<>();
    List<String> names =
        jdbc.sql(
                """
                SELECT table_name
                FROM information_schema.tables
                WHERE table_schema = DATABASE()
                  AND table_name LIKE 't\\_%\\_task\\_%'
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
    return TaskType.parse(matcher.group(1)).map(type -> new TaskTable(type, number));
  }

  TableShape templateShape() {
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

  /**
   * Changes the table. First with ALGORITHM=INSTANT, which touches no row; where the engine cannot
   * do that, in the way it can, which may take long on a big table and is said in the log.
   */
  void alter(TaskTable table, String change) {
    String statement = "ALTER TABLE " + table.sqlName() + " " + change;
    try {
      jdbc.sql(statement + ", ALGORITHM=INSTANT").update();
    } catch (DataAccessException e) {
      log.info("{} cannot be changed instantly, which may take a while: {}", table, change);
      jdbc.sql(statement).update();
    }
  }

  /**
   * Runs {@code work} while no other server changes tables.
   *
   * @param work is given a store of its own, all of whose statements run on the connection that has
   *     the lock, and as long as they need
   * @throws IllegalStateException if another server changes them for more than a minute
   */
  <T> T underChangeLock(Function<TaskTableStore, T> work) {
    return jdbcTemplate.execute(
        (ConnectionCallback<T>)
            connection -> {
              connection.setNetworkTimeout(Runnable::run, 0); // until it goes back to the pool
              try (Statement statement = connection.createStatement()) {
                if (!isOne(statement, "SELECT GET_LOCK(" + CHANGE_LOCK + ", 60)")) {
                  throw new IllegalStateException(
                      "another server has been changing the task tables for a minute; start again"
                          + " when it is done");
                }
                try {
                  return work.apply(on(connection));
                } finally {
                  isOne(statement, "SELECT RELEASE_LOCK(" + CHANGE_LOCK + ")");
                }
              }
            });
  }

  private static TaskTableStore on(Connection connection) {
    return new TaskTableStore(new JdbcTemplate(new SingleConnectionDataSource(connection, true)));
  }

  private static boolean isOne(Statement statement, String sql) throws SQLException {
    try (ResultSet answer = statement.executeQuery(sql)) {
      return answer.next() && answer.getInt(1) == 1;
    }
  }
}
