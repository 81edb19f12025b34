package io.asyncflow.bench.system;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.jdbc.MySQL8JdbcCustomization;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import io.asyncflow.bench.bed.Workload;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * db-scheduler, a library of this JVM, as its documentation advises for many executions: polling by
 * lock-and-fetch with the limits 1.0 and 4.0, and READ COMMITTED. A finished execution is a deleted
 * row.
 */
public final class DbSchedulerSystem implements TaskSystem {

  private static final String TASK = "bench";
  private static final int BULK = 500;
  private static final int THREADS = 32;
  private static final Duration POLL = Duration.ofMillis(100);

  /** Its documented table; the index by priority is left out, since priority is not used. */
  private static final String TABLE =
      """
      CREATE TABLE %s (
        task_name            VARCHAR(100) NOT NULL,
        task_instance        VARCHAR(100) NOT NULL,
        task_data            BLOB,
        execution_time       TIMESTAMP(6) NOT NULL,
        picked               BOOLEAN      NOT NULL,
        picked_by            VARCHAR(50),
        last_success         TIMESTAMP(6) NULL,
        last_failure         TIMESTAMP(6) NULL,
        consecutive_failures INT,
        last_heartbeat       TIMESTAMP(6) NULL,
        version              BIGINT       NOT NULL,
        priority             SMALLINT,
        PRIMARY KEY (task_name, task_instance),
        INDEX execution_time_idx (execution_time),
        INDEX last_heartbeat_idx (last_heartbeat)
      )
      """;

  private final DataSource dataSource;
  private final String table;
  private final boolean immediate;

  /** The scheduler that runs; one that executes at once has to be the one that is told of tasks. */
  private volatile Scheduler scheduler;

  private volatile IntConsumer started = number -> {};

  private final OneTimeTask<String> task =
      Tasks.oneTime(TASK, String.class)
          .execute((instance, context) -> started.accept(Integer.parseInt(instance.getId())));

  private DbSchedulerSystem(DataSource dataSource, String table, boolean immediate)
      throws SQLException {
    this.dataSource = dataSource;
    this.table = table;
    this.immediate = immediate;
    createTable(dataSource, table);
  }

  /** Makes its documented table. */
  public static void createTable(DataSource dataSource, String table) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(TABLE.formatted(table));
    }
  }

  /**
   * @param dataSource with a connection for each of its threads and clients
   * @param table a new one
   */
  public static DbSchedulerSystem polling(DataSource dataSource, String table) throws SQLException {
    return new DbSchedulerSystem(dataSource, table, false);
  }

  /** The same with immediate execution of what this JVM itself schedules. */
  public static DbSchedulerSystem immediate(DataSource dataSource, String table)
      throws SQLException {
    return new DbSchedulerSystem(dataSource, table, true);
  }

  @Override
  public String name() {
    return "db-scheduler";
  }

  @Override
  public String conditions() {
    return "library in this JVM; lock-and-fetch 1.0 to 4.0, "
        + THREADS
        + " threads, a poll each "
        + POLL.toMillis()
        + " ms"
        + (immediate ? ", immediate execution of what the same scheduler was told" : "");
  }

  @Override
  public int bulk() {
    return BULK;
  }

  @Override
  public Creator creator() {
    Scheduler running = scheduler;
    SchedulerClient client =
        immediate && running != null
            ? running
            : SchedulerClient.Builder.create(dataSource, task)
                .tableName(table)
                .jdbcCustomization(new MySQL8JdbcCustomization(true))
                .build();
    return new Creator() {
      @Override
      public void createOne(int number) {
        client.scheduleIfNotExists(instance(number), Instant.now());
      }

      @Override
      public void createMany(int from, int to) {
        List<TaskInstance<?>> instances =
            IntStream.range(from, to)
                .<TaskInstance<?>>mapToObj(DbSchedulerSystem.this::instance)
                .toList();
        client.scheduleBatch(instances, Instant.now());
      }
    };
  }

  private TaskInstance<String> instance(int number) {
    return task.instance(Integer.toString(number), Workload.context(number));
  }

  @Override
  public Runner run(IntConsumer started) {
    this.started = started;
    SchedulerBuilder builder =
        Scheduler.create(dataSource, task)
            .tableName(table)
            .schedulerName(new SchedulerName.Fixed("bench"))
            .jdbcCustomization(new MySQL8JdbcCustomization(true))
            .pollUsingLockAndFetch(1.0, 4.0)
            .threads(THREADS)
            .pollingInterval(POLL)
            .shutdownMaxWait(Duration.ofSeconds(30));
    if (immediate) {
      builder.enableImmediateExecution();
    }
    Scheduler running = builder.build();
    running.start();
    scheduler = running;
    return () -> {
      scheduler = null;
      running.stop();
    };
  }

  @Override
  public int unfinished() throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
      rows.next();
      return rows.getInt(1);
    }
  }
}
