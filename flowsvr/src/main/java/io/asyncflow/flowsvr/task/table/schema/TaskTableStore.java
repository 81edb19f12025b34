package io.asyncflow.flowsvr.task.table.schema;

import io.asyncflow.flowsvr.base.leader.LeaderElection;
import io.asyncflow.flowsvr.base.leader.LeaderStore;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.db.DirectDatabase;
import io.asyncflow.flowsvr.base.system.migration.YieldingDdl;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The DDL of the families: creates tables, and keeps them in the shape of the template. */
@Component
public class TaskTableStore {

  private static final Logger log = LoggerFactory.getLogger(TaskTableStore.class);
  private static final Pattern SQL_NAME = Pattern.compile("t_(.+)_task_([1-9][0-9]{0,8})");
  private static final TableSql CREATE =
      new TableSql("CREATE TABLE IF NOT EXISTS %s LIKE t_task_template");
  private static final TableSql DROP = new TableSql("DROP TABLE IF EXISTS %s");

  private static final int MAX_CHANGE_MS = 3_600_000;

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
  void alter(TaskTable table, String change) {
    String statement = "ALTER TABLE " + table.sqlName() + " " + change;
    try {
      jdbcTemplate.execute(statement + ", ALGORITHM=INSTANT");
    } catch (InvalidDataAccessApiUsageException | UncategorizedSQLException e) {
      log.info("{} cannot be changed instantly, which may take a while: {}", table, change);
      jdbcTemplate.execute(statement);
    }
  }

  /**
   * Does work on one server at a time, the others wait.
   *
   * @param work gets a store of its own, whose statements have no time-out, and whose changes give
   *     way to long transactions
   */
  <T> T underChangeLease(DirectDatabase database, Node node, Function<TaskTableStore, T> work) {
    return LeaderElection.alone(
        new LeaderStore(jdbc, "table-changes"),
        node,
        () -> YieldingDdl.on(database, direct -> work.apply(new TaskTableStore(direct))));
  }
}
