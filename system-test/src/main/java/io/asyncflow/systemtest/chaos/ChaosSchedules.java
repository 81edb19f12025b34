package io.asyncflow.systemtest.chaos;

import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.Overlap;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.systemtest.check.ScheduleChecker;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.history.ScheduleAudit;
import io.asyncflow.systemtest.invariant.Invariant;
import io.asyncflow.systemtest.invariant.Violation;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.worker.Script;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionTimeoutException;

/**
 * The schedules of a chaos run, of every policy in turn: they fire beside its tasks until
 * everything is well again, and their rows are judged.
 *
 * <p>Some of their runs take longer than the time between two fires. They have a seed of their own.
 * For one thread.
 */
final class ChaosSchedules {

  private static final int PAGE = 1_000;

  /** Of all schedules together, about. */
  private static final int FIRES_A_SECOND = 10;

  private static final Duration SHORTEST = Duration.ofSeconds(5);

  /** Until slices have owners again and what was missed is made, at the longest. */
  private static final Duration RECOVERY = Duration.ofSeconds(60);

  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration LATE = Duration.ofSeconds(10);

  private final ChaosPlan plan;
  private final Scenario scenario;
  private final Cluster cluster;
  private final FlowClient client;
  private final Random random;
  private final List<String> ids = new ArrayList<>();

  /**
   * @param scenario the type of their tasks
   * @param client changes servers when one does not answer
   */
  ChaosSchedules(ChaosPlan plan, Scenario scenario, Cluster cluster, FlowClient client) {
    this.plan = plan;
    this.scenario = scenario;
    this.cluster = cluster;
    this.client = client;
    this.random = new Random(plan.seed() + 5);
  }

  /**
   * What came of them.
   *
   * @param fires that the plans decided on, made or skipped
   * @param lateness of the latest fire that waits for no run
   */
  record Findings(int schedules, long fires, Duration lateness, List<Violation> violations) {

    long count(Invariant invariant) {
      return violations.stream().filter(one -> one.invariant() == invariant).count();
    }
  }

  /** Saves them, while all is well. */
  void create() {
    Duration interval = Duration.ofSeconds(plan.schedules() / FIRES_A_SECOND);
    Duration between = interval.compareTo(SHORTEST) < 0 ? SHORTEST : interval;
    List<NewSchedule> all =
        IntStream.range(0, plan.schedules()).mapToObj(i -> schedule(i, between)).toList();
    for (int from = 0; from < all.size(); from += PAGE) {
      client.schedules().saveAll(all.subList(from, Math.min(from + PAGE, all.size()))).stream()
          .map(SavedSchedule::scheduleId)
          .forEach(ids::add);
    }
  }

  private NewSchedule schedule(int number, Duration between) {
    String name = scenario.taskType() + "-" + number;
    NewTask task = NewTask.of(scenario.taskType(), "c", name, behaviour().json());
    NewSchedule each = NewSchedule.every(name, between).creating(task);
    return switch (number % 8) {
      case 0 -> each.overlap(Overlap.SKIP);
      case 1 -> each.overlap(Overlap.WAIT);
      case 2 -> each.overlap(Overlap.REPLACE);
      case 3 -> NewSchedule.after(name, between).creating(task);
      case 4 -> each.jitter(between);
      case 5 -> NewSchedule.cron(name, "*/10 * * * * *", ZoneId.of("UTC")).creating(task);
      default -> each;
    };
  }

  private Script behaviour() {
    int percent = random.nextInt(100);
    if (percent < 10) {
      return Script.smooth().with("c", "SLEEP 6000");
    }
    return percent < 20 ? Script.smooth().with("c", "ERROR", "OK") : Script.smooth();
  }

  /** Waits until all are on time again, stops them, and judges what they have done. */
  Findings findings() {
    if (ids.isEmpty()) {
      return new Findings(0, 0, Duration.ZERO, List.of());
    }
    List<Violation> violations = new ArrayList<>(awaitOnTime());
    ids.forEach(this::pause);
    try {
      scenario.awaitDrained(PATIENCE);
    } catch (ConditionTimeoutException e) {
      violations.add(
          new Violation(
              Invariant.HEALED_MEANS_DRAINED, scenario.taskType(), "has tasks that do not end"));
    }
    ScheduleAudit audit = audit();
    violations.addAll(new ScheduleChecker(LATE).check(audit));
    return new Findings(
        ids.size(),
        audit.fires().stream().filter(ScheduleAudit.Fire::isDecided).count(),
        ScheduleChecker.lateness(audit),
        violations);
  }

  /** What the rows say that is wrong after everything has been well for a while. */
  private List<Violation> awaitOnTime() {
    ScheduleChecker checker = new ScheduleChecker(LATE);
    try {
      await("schedules are on time")
          .atMost(RECOVERY)
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> checker.check(audit()).isEmpty());
      return List.of();
    } catch (ConditionTimeoutException e) {
      return checker.check(audit());
    }
  }

  private void pause(String id) {
    await("the schedule is paused")
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .until(
            () -> {
              try {
                client.schedules().pause(id);
                return true;
              } catch (FlowException e) {
                if (e.retryable()) {
                  return false;
                }
                throw e;
              }
            });
  }

  private ScheduleAudit audit() {
    try (Connection connection = cluster.connect()) {
      return ScheduleAudit.read(connection);
    } catch (SQLException e) {
      throw new IllegalStateException("the rows of the schedules cannot be read", e);
    }
  }
}
