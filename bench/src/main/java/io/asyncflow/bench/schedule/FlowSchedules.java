package io.asyncflow.bench.schedule;

import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.bench.bed.Cluster;
import io.asyncflow.bench.bed.Workload;
import io.asyncflow.bench.system.TaskSystem.Runner;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** Ourselves: servers of their own, and a worker of the SDK for each. */
public final class FlowSchedules implements ScheduleSystem {

  private static final String TYPE = "bench_fires";
  private static final int TASKS_PER_HOLD = 200;
  private static final int THREADS = 16;
  private static final int PREFETCH = 400;
  private static final int BULK = 500;

  private final Cluster cluster;
  private final String ahead;

  /**
   * @param cluster closed with this
   * @param ahead what differs from the default of {@code flow.schedule.ahead}; empty for nothing
   */
  public FlowSchedules(Cluster cluster, String ahead) {
    this.cluster = cluster;
    this.ahead = ahead;
    cluster.addType(Workload.type(TYPE, TASKS_PER_HOLD));
  }

  @Override
  public String name() {
    return "flowsvr × " + cluster.size() + " + SDK" + (ahead.isEmpty() ? "" : ", ahead " + ahead);
  }

  @Override
  public String conditions() {
    return "servers of their own without Redis; a worker for each, "
        + THREADS
        + " threads, prefetch "
        + PREFETCH
        + (ahead.isEmpty() ? "" : "; fires are made " + ahead + " ahead");
  }

  @Override
  public Runner run(IntConsumer started) {
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < cluster.size(); i++) {
      workers.add(
          Worker.builder()
              .client(cluster.flow(i))
              .threads(THREADS)
              .prefetch(PREFETCH)
              .handler(
                  TYPE,
                  Workload.STAGE,
                  context -> {
                    started.accept(Workload.numberOf(context.rawContext()));
                    return StageResult.done();
                  })
              .build());
    }
    workers.forEach(Worker::start);
    return () -> workers.forEach(Worker::close);
  }

  @Override
  public void save(int from, int to, Instant fireTime) {
    String cron = ScheduleSystem.cron(fireTime, "*");
    for (int i = from; i < to; i += BULK) {
      List<NewSchedule> schedules =
          IntStream.range(i, Math.min(i + BULK, to))
              .mapToObj(
                  number ->
                      NewSchedule.cron("fire-" + number, cron, ZONE)
                          .creating(Workload.task(TYPE, number)))
              .toList();
      cluster.flow(0).schedules().saveAll(schedules);
    }
  }

  /** As the rows of the fires tell, whose time is of a moment before the commit. */
  @Override
  public Histogram holdable(Instant fireTime) throws SQLException {
    String day =
        LocalDate.ofInstant(fireTime, ZoneOffset.UTC).format(DateTimeFormatter.BASIC_ISO_DATE);
    String sql =
        """
        SELECT GREATEST(make_time - fire_time, 0)
        FROM t_schedule_fire_%s
        WHERE fire_time = ?
          AND outcome = 1
        """;
    Histogram micros = new Histogram(3);
    try (Connection connection = cluster.connect();
        PreparedStatement select = connection.prepareStatement(sql.formatted(day))) {
      select.setLong(1, fireTime.toEpochMilli());
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          micros.recordValue(rows.getLong(1) * 1000);
        }
      }
    }
    return micros;
  }

  @Override
  public void close() throws Exception {
    cluster.close();
  }
}
