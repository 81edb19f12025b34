package io.asyncflow.flowsvr.task.table.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.flowsvr.AtOnce;
import io.asyncflow.flowsvr.OwnSchema;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.rules.TaskTable;
import io.asyncflow.rules.TaskType;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;

/** What a server does to the tables that it finds when a migration has changed the template. */
@Tag("contract")
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class TaskTableUpgradeIT {

  /** Shorter than what is waited for here: no wait is cut off by it. */
  private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(3);

  private final OwnSchema schema = new OwnSchema(SOCKET_TIMEOUT);
  private final JdbcTemplate sql = schema.template();
  private final TaskTableStore tables = new TaskTableStore(sql);

  @AfterEach
  void close() {
    schema.close();
  }

  private TaskTableUpgrade aServerThatStarts() {
    return new TaskTableUpgrade(new TaskTableStore(schema.template()), schema.direct(), new Node());
  }

  private void migrate(String change) {
    sql.execute("ALTER TABLE t_task_template " + change);
  }

  private TaskTable aTableWithRows(String type, int number) {
    TaskTable table = new TaskTable(new TaskType(type), number);
    tables.create(table);
    for (int i = 1; i <= 50; i++) {
      insert(table, i);
    }
    return table;
  }

  private void insert(TaskTable table, long id) {
    sql.update(
        """
        INSERT INTO %s
          (id, user_id, task_stage, status, order_time, create_time, modify_time, task_context,
           schedule_log)
        VALUES (?, 'u', 's', 1, 2, 3, 4, 'context', 'log')
        """
            .formatted(table.sqlName()),
        id);
  }

  private void assertIsLikeTheTemplate(TaskTable table) {
    assertThat(tables.shapeOf(table).changesTo(tables.templateShape())).isEmpty();
  }

  /** What the engine knows a table's rows by; a rebuild gives another one. */
  private long storageOf(TaskTable table) {
    String view =
        sql.queryForObject("SELECT VERSION()", String.class).contains("MariaDB")
            ? "INNODB_SYS_TABLES"
            : "INNODB_TABLES";
    return sql.queryForObject(
        "SELECT table_id FROM information_schema." + view + " WHERE name = ?",
        Long.class,
        schema.name() + "/" + table.sqlName());
  }

  /** A transaction of a stranger that has read the table, and is not at its end. */
  private Connection aLongReaderOf(TaskTable table) throws Exception {
    Connection reader = schema.connect();
    reader.setAutoCommit(false);
    try (Statement statement = reader.createStatement()) {
      statement.executeQuery("SELECT COUNT(*) FROM " + table.sqlName()).close();
    }
    return reader;
  }

  @Test
  void laterMigrationReachesTheTablesOfALiveFamily() {
    List<TaskTable> family = List.of(aTableWithRows("lark", 1), aTableWithRows("lark", 2));
    Flyway.configure()
        .dataSource(schema.connections())
        .locations("classpath:db/migration", "classpath:db/later")
        .load()
        .migrate();
    family.forEach(table -> insert(table, 1_000)); // by a server of the version before

    assertThat(aServerThatStarts().runOnce()).isEqualTo(2);

    for (TaskTable table : family) {
      assertIsLikeTheTemplate(table);
      assertThat(sql.queryForList("SELECT DISTINCT weight FROM " + table.sqlName(), Integer.class))
          .containsExactly(7);
    }
    assertThat(aServerThatStarts().runOnce()).isZero();
  }

  @Test
  void newColumnsAreAddedInstantlyAndOldRowsHaveTheirDefaults(CapturedOutput output) {
    TaskTable table = aTableWithRows("lark", 1);
    long storage = storageOf(table);
    migrate(
        "ADD COLUMN batch_id BIGINT NULL AFTER user_id, ADD COLUMN weight INT NOT NULL DEFAULT 7");

    assertThat(aServerThatStarts().runOnce()).isEqualTo(1);

    assertIsLikeTheTemplate(table);
    assertThat(storageOf(table)).as("no rebuild").isEqualTo(storage);
    assertThat(output).doesNotContain("cannot be changed instantly");
    Map<String, Object> row =
        sql.queryForMap("SELECT * FROM " + table.sqlName() + " WHERE id = 17");
    assertThat(row).containsEntry("weight", 7).containsEntry("batch_id", null);
    assertThat(row).containsEntry("task_context", "context").containsEntry("task_stage", "s");
    insert(table, 1_000);
  }

  @Test
  void keysAndWiderColumnsNeedNoRebuildEither() {
    TaskTable table = aTableWithRows("lark", 1);
    long storage = storageOf(table);
    migrate("ADD KEY idx_created (create_time)");
    migrate("DROP KEY idx_user");
    migrate("DROP KEY idx_claim, ADD KEY idx_claim (status, task_stage, order_time, user_id)");
    migrate("MODIFY COLUMN worker_id VARCHAR(120) NOT NULL DEFAULT ''");

    assertThat(aServerThatStarts().runOnce()).isEqualTo(1);

    assertIsLikeTheTemplate(table);
    assertThat(storageOf(table)).isEqualTo(storage);
    assertThat(tables.shapeOf(table).keys()).containsOnlyKeys("idx_claim", "idx_created");
    assertThat(sql.queryForObject("SELECT COUNT(*) FROM " + table.sqlName(), Long.class))
        .isEqualTo(50);
  }

  @Test
  void whatCannotBeInstantIsDoneAllTheSame() {
    TaskTable table = aTableWithRows("lark", 1);
    migrate("ADD COLUMN batch_id BIGINT NULL");
    migrate("MODIFY COLUMN priority BIGINT NOT NULL DEFAULT 0");
    migrate("DROP COLUMN progress");
    migrate("MODIFY COLUMN user_id VARCHAR(128) NOT NULL COMMENT 'it''s `new`, (a) KEY'");

    assertThat(aServerThatStarts().runOnce()).isEqualTo(1);

    assertIsLikeTheTemplate(table);
    assertThat(tables.shapeOf(table).columns()).doesNotContainKey("progress");
    insert(table, 1_000);
  }

  @Test
  void serverThatFindsNothingToDoDoesNothing() {
    aTableWithRows("lark", 1);
    assertThat(aServerThatStarts().runOnce()).isZero();
    migrate("ADD COLUMN batch_id BIGINT NULL");
    assertThat(aServerThatStarts().runOnce()).isEqualTo(1);
    assertThat(aServerThatStarts().runOnce()).isZero();
    assertThat(aServerThatStarts().runOnce()).isZero();
  }

  @Test
  void allTablesOfAllTypesAreChangedAndNoOthers() {
    List<TaskTable> ours =
        List.of(
            aTableWithRows("lark", 1),
            aTableWithRows("lark", 2),
            aTableWithRows("lark", 10),
            aTableWithRows("a_task_b", 3),
            aTableWithRows("task", 1),
            aTableWithRows("x", 999_999_999));
    List<String> strangers =
        List.of(
            "t_lark_task_0", "t_lark_task_1_old", "t_lark_task_01", "T_Lark_Task_7", "my_task_1");
    strangers.forEach(name -> sql.execute("CREATE TABLE `" + name + "` (id INT)"));
    sql.execute("CREATE VIEW t_view_task_1 AS SELECT 1 AS id");
    migrate("ADD COLUMN batch_id BIGINT NULL");

    assertThat(aServerThatStarts().runOnce()).isEqualTo(ours.size());

    ours.forEach(this::assertIsLikeTheTemplate);
    for (String stranger : strangers) {
      assertThat(sql.queryForList("SHOW COLUMNS FROM `" + stranger + "`")).hasSize(1);
    }
  }

  @Test
  void startWithoutANewTemplateLooksAtNoTable() {
    TaskTable table = aTableWithRows("lark", 1);
    aServerThatStarts().runOnce();
    sql.execute("ALTER TABLE " + table.sqlName() + " ADD COLUMN of_an_operator INT NULL");

    assertThat(aServerThatStarts().runOnce()).isZero();
    assertThat(tables.shapeOf(table).columns()).containsKey("of_an_operator");

    migrate("ADD COLUMN batch_id BIGINT NULL");
    assertThat(aServerThatStarts().runOnce()).isEqualTo(1);
    assertIsLikeTheTemplate(table);
  }

  @Test
  void tableThatIsDroppedMeanwhileIsPassedOver(CapturedOutput output) throws Exception {
    TaskTable first = aTableWithRows("lark", 1);
    TaskTable second = aTableWithRows("lark", 2);
    TaskTable third = aTableWithRows("lark", 3);
    migrate("ADD COLUMN batch_id BIGINT NULL");
    CompletableFuture<Integer> starting;
    try (Connection reader = aLongReaderOf(first)) {
      starting =
          CompletableFuture.supplyAsync(() -> aServerThatStarts().runOnce(), OtherThread::start);
      await().until(() -> output.getOut().contains("waits for a long transaction"));
      tables.drop(second);
    }

    assertThat(starting.join()).isEqualTo(2);
    assertIsLikeTheTemplate(first);
    assertIsLikeTheTemplate(third);
  }

  @Test
  void changeThatWasCutOffIsFinishedAtTheNextStart() throws Exception {
    TaskTable first = aTableWithRows("lark", 1);
    TaskTable second = aTableWithRows("lark", 2);
    TaskTable third = aTableWithRows("lark", 3);
    migrate("ADD COLUMN batch_id BIGINT NULL");
    migrate("ADD KEY idx_job (batch_id)");
    sql.execute("ALTER TABLE " + second.sqlName() + " ADD COLUMN batch_id BIGINT NULL");

    try (Connection reader = aLongReaderOf(third)) {
      CompletableFuture<Integer> killed =
          CompletableFuture.supplyAsync(() -> aServerThatStarts().runOnce(), OtherThread::start);
      await().until(() -> tables.shapeOf(second).keys().containsKey("idx_job"));
      for (long id : connectionsThatChange(third)) {
        sql.execute("KILL " + id);
      }
      assertThatThrownBy(killed::join).isNotNull();
    }
    assertIsLikeTheTemplate(first);
    assertThat(tables.shapeOf(third).changesTo(tables.templateShape())).isNotEmpty();

    assertThat(aServerThatStarts().runOnce()).isEqualTo(1);
    assertIsLikeTheTemplate(third);
  }

  /** Those that wait for the table, or just pause between two tries. */
  private List<Long> connectionsThatChange(TaskTable table) {
    List<Long>[] found = new List[] {List.of()};
    await()
        .until(
            () -> {
              found[0] =
                  sql.queryForList(
                      "SELECT id FROM information_schema.processlist WHERE info LIKE ?",
                      Long.class,
                      "ALTER TABLE " + table.sqlName() + " %");
              return !found[0].isEmpty();
            });
    return found[0];
  }

  @Test
  void ofServersThatStartTogetherEachTableIsChangedByOne() {
    for (int number = 1; number <= 5; number++) {
      aTableWithRows("lark", number);
    }
    migrate("ADD COLUMN batch_id BIGINT NULL");

    List<Integer> changed = AtOnce.from(4, i -> aServerThatStarts().runOnce());

    assertThat(changed).containsExactlyInAnyOrder(5, 0, 0, 0);
  }

  @Test
  void serverWaitsForTheOneThatIsAtItAndGoesOnWhenThatIsDead() {
    aTableWithRows("lark", 1);
    migrate("ADD COLUMN batch_id BIGINT NULL");
    long leaseEnd = 1_000 * sql.queryForObject("SELECT UNIX_TIMESTAMP()", Long.class) + 6_000;
    sql.update(
        "UPDATE t_leader SET leader = 'other', term = 7, lease_end = ? WHERE role = 'table-changes'",
        leaseEnd);

    assertThat(aServerThatStarts().runOnce()).isEqualTo(1);

    assertThat(1_000 * sql.queryForObject("SELECT UNIX_TIMESTAMP() + 1", Long.class))
        .as("longer than the socket's time-out")
        .isGreaterThanOrEqualTo(leaseEnd);
    assertThat(
            sql.queryForObject(
                "SELECT CONCAT(term, ' ', lease_end) FROM t_leader WHERE role = 'table-changes'",
                String.class))
        .isEqualTo("8 0");
  }

  @Test
  void changeThatWaitsForALongTransactionStopsNobodyElse(CapturedOutput output) throws Exception {
    TaskTable table = aTableWithRows("lark", 1);
    migrate("ADD COLUMN batch_id BIGINT NULL");
    CompletableFuture<Integer> waiting;
    try (Connection reader = aLongReaderOf(table)) {
      waiting =
          CompletableFuture.supplyAsync(() -> aServerThatStarts().runOnce(), OtherThread::start);
      await().until(() -> output.getOut().contains("waits for a long transaction"));

      for (int i = 0; i < 20; i++) {
        insert(table, 1_000 + i); // given up after the socket's time-out if it had to wait so long
      }
      assertThat(waiting).isNotDone();
    }

    assertThat(waiting.join()).isEqualTo(1);
    assertIsLikeTheTemplate(table);
  }

  @Test
  void connectionGoesBackToThePoolAsItWas() {
    schema.connections().setMaximumPoolSize(1);
    String before = sql.queryForObject("SELECT @@lock_wait_timeout", String.class);

    aServerThatStarts().runOnce();

    assertThat(sql.queryForObject("SELECT @@lock_wait_timeout", String.class)).isEqualTo(before);
    assertThatThrownBy(() -> sql.queryForObject("SELECT SLEEP(10)", Integer.class))
        .as("the socket's time-out")
        .isNotNull();
  }

  @Test
  void tableMadeAfterAnUpgradeIsLikeOneThatWasUpgraded() {
    TaskTable old = aTableWithRows("lark", 1);
    migrate("ADD COLUMN batch_id BIGINT NULL AFTER id, ADD KEY idx_job (batch_id)");
    aServerThatStarts().runOnce();

    TaskTable fresh = aTableWithRows("lark", 2);

    assertThat(tables.shapeOf(old).changesTo(tables.shapeOf(fresh))).isEmpty();
    assertThat(tables.shapeOf(fresh).changesTo(tables.shapeOf(old))).isEmpty();
  }
}
