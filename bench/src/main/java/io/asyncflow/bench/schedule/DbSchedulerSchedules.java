package io.asyncflow.bench.schedule;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.jdbc.MySQL8JdbcCustomization;
import com.github.kagkarlsson.scheduler.task.SchedulableInstance;
import com.github.kagkarlsson.scheduler.task.helper.PlainScheduleAndData;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTaskWithPersistentSchedule;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.Daily;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.system.DbSchedulerSystem;
import io.asyncflow.bench.system.TaskSystem.Runner;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * db-scheduler with schedules in its table, one execution each. They are daily ones, at the second
 * that the others' expressions name: its cron expressions need one library more, and more time.
 */
public final class DbSchedulerSchedules implements ScheduleSystem {

  private static final String TASK = "bench";
  private static final int NODES = 3;
  private static final int THREADS = 16;
  private static final int BULK = 500;
  private static final Duration POLL = Duration.ofMillis(100);

  private final DataSource dataSource;
  private final String table;
  private volatile IntConsumer started = number -> {};

  private final RecurringTaskWithPersistentSchedule<PlainScheduleAndData> task =
      Tasks.recurringWithPersistentSchedule(TASK, PlainScheduleAndData.class)
          .execute((instance, context) -> started.accept(Integer.parseInt(instance.getId())));

  /**
   * @param dataSource with a connection for each thread of its nodes
   * @param table a new one
   */
  public DbSchedulerSchedules(DataSource dataSource, String table) throws SQLException {
    this.dataSource = dataSource;
    this.table = table;
    DbSchedulerSystem.createTable(dataSource, table);
  }

  @Override
  public String name() {
    return "db-scheduler × " + NODES;
  }

  @Override
  public String conditions() {
    return NODES
        + " schedulers in this JVM; persistent daily schedules; lock-and-fetch 1.0 to 4.0, "
        + THREADS
        + " threads each, a poll each "
        + POLL.toMillis()
        + " ms";
  }

  @Override
  public Runner run(IntConsumer started) {
    this.started = started;
    List<Scheduler> nodes = new ArrayList<>();
    for (int i = 1; i <= NODES; i++) {
      nodes.add(
          Scheduler.create(dataSource, task)
              .tableName(table)
              .schedulerName(new SchedulerName.Fixed("bench-" + i))
              .jdbcCustomization(new MySQL8JdbcCustomization(true))
              .pollUsingLockAndFetch(1.0, 4.0)
              .threads(THREADS)
              .pollingInterval(POLL)
              .shutdownMaxWait(Duration.ofSeconds(30))
              .build());
    }
    nodes.forEach(Scheduler::start);
    return () -> nodes.forEach(Scheduler::stop);
  }

  @Override
  public void save(int from, int to, Instant fireTime) {
    SchedulerClient client =
        SchedulerClient.Builder.create(dataSource, task)
            .tableName(table)
            .jdbcCustomization(new MySQL8JdbcCustomization(true))
            .build();
    Daily daily = new Daily(ZoneOffset.UTC, LocalTime.ofInstant(fireTime, ZoneOffset.UTC));
    for (int i = from; i < to; i += BULK) {
      List<SchedulableInstance<?>> schedules =
          IntStream.range(i, Math.min(i + BULK, to))
              .<SchedulableInstance<?>>mapToObj(
                  number ->
                      task.schedulableInstance(
                          Integer.toString(number),
                          new PlainScheduleAndData(daily, Workload.context(number))))
              .toList();
      client.scheduleBatch(schedules);
    }
  }
}
