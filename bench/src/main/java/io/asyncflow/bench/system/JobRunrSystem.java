package io.asyncflow.bench.system;

import io.asyncflow.bench.bed.Workload;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.jobs.states.StateName;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.mariadb.MariaDbStorageProvider;
import org.jobrunr.storage.sql.mysql.MySqlStorageProvider;
import org.jobrunr.utils.mapper.JsonMapper;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;

/**
 * JobRunr, a library of this JVM, as its documentation advises: job requests instead of lambdas,
 * whose byte code need not be read; streams for many jobs; workers as it chooses them; and the
 * shortest poll interval that it admits for a database.
 */
public final class JobRunrSystem implements TaskSystem, AutoCloseable {

  private static final int BULK = 1000;
  private static final Duration POLL = Duration.ofSeconds(5);

  /** It is so much slower than the others that a part of their work says enough. */
  private static final int SHARE = 4;

  private final String store;
  private final StorageProvider storage;
  private final JsonMapper json = new Jackson3JsonMapper();

  /**
   * @param dataSource with a connection for each of its workers and clients
   * @param store before the names of its tables, which are new
   * @param mariaDb whether that is the database
   */
  public JobRunrSystem(DataSource dataSource, String store, boolean mariaDb) {
    this.store = store;
    String prefix = store + "_";
    this.storage =
        mariaDb
            ? new MariaDbStorageProvider(dataSource, prefix)
            : new MySqlStorageProvider(dataSource, prefix);
    storage.setJobMapper(new JobMapper(json));
  }

  @Override
  public String name() {
    return "JobRunr";
  }

  @Override
  public String conditions() {
    return "library in this JVM; its own number of workers, a poll each "
        + POLL.toSeconds()
        + " s, which is its minimum";
  }

  @Override
  public int share(int tasks) {
    return Math.max(1, tasks / SHARE);
  }

  @Override
  public int bulk() {
    return BULK;
  }

  @Override
  public Creator creator() {
    JobRequestScheduler scheduler = new JobRequestScheduler(storage);
    return new Creator() {
      @Override
      public void createOne(int number) {
        scheduler.enqueue(job(number));
      }

      @Override
      public void createMany(int from, int to) {
        scheduler.enqueue(IntStream.range(from, to).mapToObj(JobRunrSystem.this::job));
      }
    };
  }

  /**
   * Has a task created at each fire time of an expression.
   *
   * @param cron six fields, in UTC
   * @param number of the tasks
   */
  public void scheduleRecurrently(String cron, int number) {
    new JobRequestScheduler(storage)
        .scheduleRecurrently(recurring(number), cron, ZoneOffset.UTC, job(number));
  }

  /** Undoes {@link #scheduleRecurrently}. */
  public void deleteRecurring(int number) {
    new JobRequestScheduler(storage).deleteRecurringJob(recurring(number));
  }

  private static String recurring(int number) {
    return "recurring-" + number;
  }

  private NoOpJob job(int number) {
    return new NoOpJob(store, number, Workload.context(number));
  }

  @Override
  public Runner run(IntConsumer started) {
    NoOpJob.tellStartsOf(store, started);
    BackgroundJobServer server =
        new BackgroundJobServer(
            storage,
            json,
            new Activator(),
            BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                .andPollInterval(POLL));
    server.start();
    return server::stop;
  }

  /** Handlers have no state, so a new one each time will do. */
  private static final class Activator implements JobActivator {
    @Override
    public <T> T activateJob(Class<T> type) {
      try {
        return type.getDeclaredConstructor().newInstance();
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Override
  public int unfinished() {
    return (int)
        (storage.countJobs(StateName.ENQUEUED)
            + storage.countJobs(StateName.PROCESSING)
            + storage.countJobs(StateName.SCHEDULED)
            + storage.countJobs(StateName.FAILED));
  }

  @Override
  public void close() {
    storage.close();
  }
}
