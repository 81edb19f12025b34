package io.asyncflow.bench.schedule;

import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.ScheduleListRequest;
import io.asyncflow.api.schedule.SchedulePage;
import io.asyncflow.bench.bed.Cluster;
import io.asyncflow.bench.bed.ServerStatus;
import io.asyncflow.bench.bed.TestBed;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.contest.Contender;
import io.asyncflow.bench.resource.CpuMeter;
import io.asyncflow.bench.resource.CpuReading;
import io.asyncflow.bench.resource.CpuUse;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Very many schedules on servers of their own, none of them due for half a year: what it takes to
 * save them, to page through them, and to have them. Each round adds as many to those of the rounds
 * before; what the servers need without any schedule is measured once, before the first.
 */
public final class ManySchedules implements Contender<ManySchedules.Run> {

  private static final String TYPE = "bench_schedules";
  private static final int BULK = 1000;
  private static final int PAGE = 100;
  private static final int DAYS_AWAY = 180;
  private static final int SECONDS_OF_A_DAY = 86_400;

  /** Until the servers have heard of all that was saved. */
  private static final Duration SETTLING = Duration.ofSeconds(3);

  /** How often the servers are watched, until no slice has changed its owner meanwhile. */
  private static final int MOST_WATCHES = 8;

  /**
   * What a time without fires costs.
   *
   * @param statements that the database was sent in a second, by all servers
   * @param cores that a server used, on average; 1 being a whole one
   * @param moves of slices to another owner meanwhile
   */
  public record Quiet(double statements, double cores, long moves) {}

  /**
   * What a round came to.
   *
   * @param there schedules that there are at its end
   * @param saving of this round's schedules, by one client
   * @param pages microseconds for each page of them
   * @param without any schedule
   */
  public record Run(int there, Duration saving, Histogram pages, Quiet quiet, Quiet without) {}

  private final TestBed bed;
  private final Cluster cluster;
  private final int seconds;
  private final Instant fireTime =
      Instant.now().plus(DAYS_AWAY, ChronoUnit.DAYS).truncatedTo(ChronoUnit.DAYS);
  private int there;
  private Quiet without;

  /**
   * @param cluster closed with this
   * @param seconds how long the servers are watched while nothing is due
   */
  public ManySchedules(TestBed bed, Cluster cluster, int seconds) {
    this.bed = bed;
    this.cluster = cluster;
    this.seconds = seconds;
    cluster.addType(Workload.type(TYPE, 1));
  }

  @Override
  public String name() {
    return "schedules on " + cluster.size() + " servers";
  }

  @Override
  public String conditions() {
    return cluster.size()
        + " flowsvr of their own without Redis; one client, "
        + BULK
        + " schedules a saveAll, "
        + PAGE
        + " a page; the statements of the idle flowsvr of the other parts are counted with and"
        + " without schedules";
  }

  @Override
  public Run run(int schedules) throws Exception {
    if (without == null) {
      TimeUnit.SECONDS.sleep(seconds); // for the servers, which have just been started
      without = watchAtRest();
    }
    int first = there;
    there += schedules;
    long begin = System.nanoTime();
    for (int from = first; from < there; from += BULK) {
      cluster.flow(0).schedules().saveAll(schedules(from, Math.min(from + BULK, there)));
    }
    Duration saving = Duration.ofNanos(System.nanoTime() - begin);
    Histogram pages = page(schedules);
    TimeUnit.NANOSECONDS.sleep(SETTLING.toNanos());
    return new Run(there, saving, pages, watchAtRest(), without);
  }

  private List<NewSchedule> schedules(int from, int to) {
    return IntStream.range(from, to).mapToObj(this::schedule).toList();
  }

  private NewSchedule schedule(int number) {
    Instant own = fireTime.plusSeconds(number % SECONDS_OF_A_DAY);
    return NewSchedule.cron("many-" + number, ScheduleSystem.cron(own, "*"), ScheduleSystem.ZONE)
        .creating(Workload.task(TYPE, number));
  }

  /** The list begins with the newest. */
  private Histogram page(int schedules) {
    Histogram micros = new Histogram(3);
    ScheduleListRequest request = new ScheduleListRequest(Set.of(), TYPE, PAGE, null);
    int seen = 0;
    while (seen < schedules) {
      long begin = System.nanoTime();
      SchedulePage page = cluster.flow(0).schedules().list(request);
      micros.recordValue((System.nanoTime() - begin) / 1000);
      seen += page.scheduleList().size();
      request = request.withCursor(page.nextCursor());
      if (page.nextCursor() == null && seen < schedules) {
        throw new IllegalStateException("only " + seen + " of " + schedules + " are listed");
      }
    }
    return micros;
  }

  /** Once the servers have counted what was saved, slices move until each server has its share. */
  private Quiet watchAtRest() throws SQLException, InterruptedException {
    Quiet quiet = watch();
    for (int watches = 1; quiet.moves() > 0 && watches < MOST_WATCHES; watches++) {
      quiet = watch();
    }
    return quiet;
  }

  private Quiet watch() throws SQLException, InterruptedException {
    CpuMeter meter = cluster.cpuMeter();
    try (Connection connection = bed.connect()) {
      long epochs = epochs(connection);
      CpuReading before = meter.get();
      double statements = ServerStatus.statementsPerSecond(connection, seconds);
      CpuReading after = meter.get();
      double elapsed = (after.nanos() - before.nanos()) / 1e9;
      double cores =
          CpuUse.between(before, after).ownCores(elapsed).values().stream()
              .mapToDouble(Double::doubleValue)
              .average()
              .orElseThrow();
      return new Quiet(statements, cores, epochs(connection) - epochs);
    }
  }

  /** Each change of a slice's owner adds one. */
  private static long epochs(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet sum = statement.executeQuery("SELECT SUM(epoch) FROM t_schedule_slice")) {
      sum.next();
      return sum.getLong(1);
    }
  }

  @Override
  public void close() throws Exception {
    cluster.close();
  }
}
