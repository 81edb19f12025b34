package io.asyncflow.systemtest.fault.schedule;

import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.api.schedule.Schedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.api.schedule.ScheduleListRequest;
import io.asyncflow.systemtest.check.ScheduleChecker;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.history.ScheduleAudit;
import io.asyncflow.systemtest.invariant.Violation;
import io.asyncflow.systemtest.scenario.FailoverFlowClient;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Schedules on a cluster, a worker in this process that runs what they create, and the judgement on
 * both. The worker and the calls go to another server when one is dead.
 */
final class Ticking implements AutoCloseable {

  /** Until a fire time has a fate when all is well. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final String STAGE = "c";

  /** The context of a task that runs for longer than an interval. */
  private static final String SLOW = "slow";

  private static final Duration SLOW_RUN = Duration.ofMillis(1_300);
  private static final Duration LONG_PATIENCE = Duration.ofSeconds(90);
  private static final int MOST = 1_000;
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Cluster cluster;
  private final Scenario scenario;
  private final FlowClient client;
  private final Worker worker;
  private final Set<Long> earlier;

  private Ticking(Cluster cluster, String name) {
    this.cluster = cluster;
    this.earlier = firedSoFar(cluster);
    this.scenario = Scenario.of(cluster, name, TypePlan.quick());
    this.client =
        FailoverFlowClient.of(
            cluster.servers().stream().<FlowClient>map(ServerNode::client).toList());
    this.worker =
        Worker.builder()
            .client(client)
            .workerId(name + "-worker")
            .spoolDir(cluster.directory().resolve("spool-" + name))
            .threads(32)
            .handler(
                name,
                STAGE,
                context -> {
                  if (context.rawContext().equals(SLOW)) {
                    Thread.sleep(SLOW_RUN.toMillis());
                  }
                  return StageResult.done();
                })
            .build();
    worker.start();
  }

  static Ticking on(Cluster cluster, String name) {
    return new Ticking(cluster, name);
  }

  /** A schedule of one second whose tasks end at once. */
  NewSchedule eachSecond(int number) {
    return NewSchedule.every(name(number), SECOND).creating(task(""));
  }

  /** The same by another policy: in turn each overlap policy, and a schedule after its last run. */
  NewSchedule ofAnyPolicy(int number) {
    return switch (number % 6) {
      case 0 -> eachSecond(number).overlap(Overlap.SKIP).creating(task(SLOW));
      case 1 -> eachSecond(number).overlap(Overlap.WAIT).creating(task(SLOW));
      case 2 -> eachSecond(number).overlap(Overlap.REPLACE).creating(task(SLOW));
      case 3 -> NewSchedule.after(name(number), SECOND).creating(task(SLOW));
      default -> eachSecond(number);
    };
  }

  private String name(int number) {
    return scenario.taskType() + "-" + number;
  }

  NewTask task(String context) {
    return NewTask.of(scenario.taskType(), STAGE, "ticking", context);
  }

  /** Saves schedules, and repeats the call until it is acknowledged. */
  List<SavedSchedule> save(List<NewSchedule> schedules) {
    return untilAcknowledged(() -> schedules().saveAll(schedules));
  }

  /** Saves so many of every policy. */
  List<SavedSchedule> saveOfAnyPolicy(int count) {
    return save(IntStream.range(0, count).mapToObj(this::ofAnyPolicy).toList());
  }

  ScheduleClient schedules() {
    return client.schedules();
  }

  private static <T> T untilAcknowledged(Supplier<T> call) {
    AtomicReference<T> answer = new AtomicReference<>();
    await("the call is acknowledged")
        .atMost(LONG_PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () -> {
              try {
                answer.set(call.get());
                return true;
              } catch (FlowException e) {
                if (e.retryable()) {
                  return false;
                }
                throw e;
              }
            });
    return answer.get();
  }

  /** Epoch ms of the database. */
  long now() {
    return number("SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)");
  }

  /** The only number that a statement selects. */
  long number(String sql) {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** The tables of the fires, a day each. */
  List<String> fireTables() {
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                """
                SELECT table_name
                FROM information_schema.tables
                WHERE table_schema = DATABASE()
                  AND table_name LIKE 't\\_schedule\\_fire\\_2%'
                """)) {
      List<String> names = new ArrayList<>();
      while (rows.next()) {
        names.add(rows.getString(1));
      }
      return names;
    } catch (SQLException e) {
      throw new IllegalStateException("the tables of fires cannot be read", e);
    }
  }

  /** How many tasks of these schedules meet a condition. */
  int countTasks(String condition) {
    return scenario.count(condition);
  }

  /** Returns when all fire times before {@code time} have a fate, but of those that wait. */
  void awaitFatesUntil(long time) {
    await("each fire time has a fate")
        .atMost(LONG_PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .until(
            () ->
                number(
                        """
                        SELECT COUNT(*)
                        FROM t_schedule
                        WHERE state = 1
                          AND overlap <> 3
                          AND next_fire_time < %s
                        """
                            .formatted(time))
                    == 0);
  }

  /** Lets no more fires happen, and returns when all runs have ended. */
  void stop() {
    all()
        .forEach(
            schedule ->
                untilAcknowledged(
                    () -> {
                      schedules().pause(schedule.scheduleId());
                      return schedule;
                    }));
    awaitRuns();
  }

  /** Returns when all runs have ended. */
  void awaitRuns() {
    scenario.awaitDrained(LONG_PATIENCE);
  }

  /** The schedules that there are. */
  private List<Schedule> all() {
    ScheduleListRequest request =
        new ScheduleListRequest(Set.of(), scenario.taskType(), MOST, null);
    return untilAcknowledged(() -> schedules().list(request)).scheduleList();
  }

  /** The schedules of earlier tests, which are deleted. */
  private static Set<Long> firedSoFar(Cluster cluster) {
    try (Connection connection = cluster.connect()) {
      return ScheduleAudit.read(connection).fired();
    } catch (SQLException e) {
      throw new IllegalStateException("the fires of earlier schedules cannot be read", e);
    }
  }

  /** The rows of the schedules of this test. */
  ScheduleAudit audit() {
    try (Connection connection = cluster.connect()) {
      return ScheduleAudit.read(connection).without(earlier);
    } catch (SQLException e) {
      throw new IllegalStateException("the rows of the schedules cannot be read", e);
    }
  }

  /** What the rows of all schedules say that is wrong. */
  static List<Violation> violations(ScheduleAudit audit) {
    return new ScheduleChecker(PATIENCE).check(audit);
  }

  /** The same of the rows as they are now. */
  List<Violation> violations() {
    return violations(audit());
  }

  /** Deletes the schedules, and ends the worker. */
  @Override
  public void close() {
    try {
      all()
          .forEach(
              schedule ->
                  untilAcknowledged(
                      () -> {
                        schedules().delete(schedule.scheduleId());
                        return schedule;
                      }));
    } finally {
      worker.close();
      scenario.close();
    }
  }
}
