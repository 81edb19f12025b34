package io.asyncflow.bench.schedule;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.system.TaskSystem.Runner;
import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import java.util.function.IntConsumer;
import javax.sql.DataSource;
import org.quartz.CronScheduleBuilder;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.SchedulerRepository;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.jdbcjobstore.JobStoreTX;
import org.quartz.impl.jdbcjobstore.StdJDBCDelegate;
import org.quartz.simpl.SimpleThreadPool;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/**
 * Quartz as a cluster on JDBC: one stored job, a trigger for each schedule, and its own tables. Its
 * nodes are schedulers of this JVM, each of which acquires a hundred triggers at a time under its
 * lock.
 */
public final class QuartzSchedules implements ScheduleSystem {

  private static final int NODES = 3;
  private static final int BULK = 500;

  /** Not larger than the threads that are free. */
  private static final int BATCH = 100;

  private static final String STARTED = "started";
  private static final String NUMBER = "number";
  private static final String CONTEXT = "context";
  private static final String JOB = "bench";

  private final String tablePrefix;
  private final List<Scheduler> nodes = new ArrayList<>();

  /**
   * @param dataSource with a connection for each thread of its nodes
   * @param tablePrefix of new tables
   */
  public QuartzSchedules(DataSource dataSource, String tablePrefix)
      throws IOException, SQLException {
    this.tablePrefix = tablePrefix;
    DBConnectionManager.getInstance().addConnectionProvider(tablePrefix, new Pool(dataSource));
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : tables().split(";")) {
        if (!sql.isBlank()) {
          statement.execute(sql);
        }
      }
    }
  }

  /** The file that it ships, with other names, and without the comments and the final commit. */
  private String tables() throws IOException {
    try (InputStream file = JobStoreTX.class.getResourceAsStream("tables_mysql_innodb.sql")) {
      return new String(file.readAllBytes(), UTF_8)
          .replaceAll("(?m)^(#|--).*$", "")
          .replaceAll("(?i)commit;", "")
          .replace("QRTZ_", tablePrefix);
    }
  }

  @Override
  public String name() {
    return "Quartz × " + NODES + ", batches of " + BATCH;
  }

  @Override
  public String conditions() {
    return "a cluster of "
        + NODES
        + " schedulers in this JVM, "
        + BATCH
        + " threads each; batchTriggerAcquisitionMaxCount "
        + BATCH
        + ", acquireTriggersWithinLock";
  }

  @Override
  public Runner run(IntConsumer started) throws SchedulerException {
    for (int i = 1; i <= NODES; i++) {
      Scheduler node = new StdSchedulerFactory(properties(i)).getScheduler();
      // Nodes have one name, and a JVM one scheduler of a name: it shall make the next one, too.
      SchedulerRepository.getInstance().remove(tablePrefix);
      node.getContext().put(STARTED, started);
      nodes.add(node);
    }
    for (Scheduler node : nodes) {
      node.start();
    }
    return this::stop;
  }

  private void stop() throws SchedulerException {
    for (Scheduler node : nodes) {
      node.shutdown(true);
    }
    nodes.clear();
  }

  private Properties properties(int node) {
    Properties properties = new Properties();
    properties.setProperty("org.quartz.scheduler.instanceName", tablePrefix);
    properties.setProperty("org.quartz.scheduler.instanceId", "bench-" + node);
    properties.setProperty("org.quartz.threadPool.class", SimpleThreadPool.class.getName());
    properties.setProperty("org.quartz.threadPool.threadCount", Integer.toString(BATCH));
    properties.setProperty("org.quartz.jobStore.class", JobStoreTX.class.getName());
    properties.setProperty(
        "org.quartz.jobStore.driverDelegateClass", StdJDBCDelegate.class.getName());
    properties.setProperty("org.quartz.jobStore.dataSource", tablePrefix);
    properties.setProperty("org.quartz.jobStore.tablePrefix", tablePrefix);
    properties.setProperty("org.quartz.jobStore.useProperties", "true");
    properties.setProperty("org.quartz.jobStore.isClustered", "true");
    properties.setProperty(
        "org.quartz.scheduler.batchTriggerAcquisitionMaxCount", Integer.toString(BATCH));
    properties.setProperty("org.quartz.jobStore.acquireTriggersWithinLock", "true");
    return properties;
  }

  @Override
  public void save(int from, int to, Instant fireTime) throws SchedulerException {
    CronScheduleBuilder cron =
        CronScheduleBuilder.cronSchedule(ScheduleSystem.cron(fireTime, "?"))
            .inTimeZone(TimeZone.getTimeZone(ZONE));
    JobDetail job = JobBuilder.newJob(Fire.class).withIdentity(JOB).storeDurably().build();
    for (int i = from; i < to; i += BULK) {
      Set<Trigger> triggers = new HashSet<>();
      for (int number = i; number < Math.min(i + BULK, to); number++) {
        triggers.add(
            TriggerBuilder.newTrigger()
                .withIdentity("fire-" + number)
                .forJob(job)
                .usingJobData(NUMBER, Integer.toString(number))
                .usingJobData(CONTEXT, Workload.context(number))
                .withSchedule(cron)
                .build());
      }
      nodes.get(0).scheduleJobs(Map.of(job, triggers), true);
    }
  }

  /** Tells that it was started; Quartz makes it by itself, so it must be public. */
  public static final class Fire implements Job {
    @Override
    public void execute(JobExecutionContext context) {
      try {
        IntConsumer started = (IntConsumer) context.getScheduler().getContext().get(STARTED);
        started.accept(Integer.parseInt(context.getMergedJobDataMap().getString(NUMBER)));
      } catch (SchedulerException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** The connections of the bench under a name of Quartz. */
  private record Pool(DataSource dataSource) implements ConnectionProvider {
    @Override
    public Connection getConnection() throws SQLException {
      return dataSource.getConnection();
    }

    @Override
    public void initialize() {}

    /** It is the bench's. */
    @Override
    public void shutdown() {}
  }
}
