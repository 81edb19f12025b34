package io.asyncflow.systemtest.fault.database;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.systemtest.chaos.ChaosPlan;
import io.asyncflow.systemtest.chaos.ChaosRun;
import io.asyncflow.systemtest.chaos.ChaosRun.Outcome;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.fault.database.Probe.Call;
import io.asyncflow.systemtest.history.Audit;
import io.asyncflow.systemtest.invariant.Invariant;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.Window;
import io.asyncflow.systemtest.worker.Script;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Two servers on a group of databases, under the load of chaos: tasks, jobs, schedules and tables
 * that roll. Machines of the group break; what was acknowledged must be on every one of them
 * afterwards.
 */
final class Failover implements AutoCloseable {

  private static final ChaosPlan PLAN =
      ChaosPlan.of(9_000, 20_261_130).with(60).on(2, 2).within(Duration.ofMinutes(3));

  private static final String READINESS = "/actuator/health/readiness";

  /** How long writes may be impossible before the next step mends it. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The target is a second after writes work again; a busy machine takes longer for anything. */
  private static final Duration READY = Duration.ofSeconds(5);

  /** After which two beats of a server, each 3 s, have failed, each 2.5 s after its begin. */
  private static final Duration TWO_BEATS = Duration.ofSeconds(10);

  private static final Duration NEVER = Duration.ofDays(1);

  /** How long all is watched after the last step. */
  private static final Duration AFTERMATH = Duration.ofSeconds(3);

  private final DatabaseGroup<?> group;
  private final Cluster cluster;
  private final List<ServerNode> servers;

  /**
   * Something that happens to the group.
   *
   * @param lasting how long at least, until creates succeed and the next thing happens
   * @param target how long no create may succeed at a server
   */
  record Step(String what, Runnable act, Duration lasting, Duration target) {

    /** One that is over when creates succeed. */
    static Step of(String what, Runnable act, Duration target) {
      return new Step(what, act, Duration.ZERO, target);
    }
  }

  /** Moments between which no create succeeded. */
  private record Gap(long begin, long end) {

    Duration length() {
      return Duration.ofNanos(end - begin);
    }
  }

  /** What a client sees of a server. */
  private record Watch(ServerNode server, Probe creates, Probe readiness) implements AutoCloseable {

    static Watch of(Scenario scenario, ServerNode server) {
      FlowClient client = scenario.client(server);
      return new Watch(
          server,
          Probe.start(
              () -> {
                client.createTask(scenario.newTask(Script.smooth()));
              }),
          Probe.start(() -> server.statusOf(READINESS)));
    }

    void awaitCreate() {
      long now = System.nanoTime();
      await("a create succeeds")
          .atMost(PATIENCE)
          .until(() -> creates.since(now).stream().anyMatch(call -> call.code() == 0));
    }

    /** Creates no more, and looks until it is ready after the last create, or should have been. */
    void conclude() {
      creates.close();
      long now = System.nanoTime();
      try {
        await("the server is ready")
            .atMost(READY)
            .until(() -> readiness.since(now).stream().anyMatch(call -> call.code() == 200));
      } catch (ConditionTimeoutException e) {
        // What is late says so.
      }
    }

    @Override
    public void close() {
      creates.close();
      readiness.close();
    }

    /** The longest time in which no create succeeded, of those that began in a step. */
    Gap gap(long from, long to) {
      Gap longest = new Gap(from, from);
      long begin = from;
      for (Call call : creates.since(0)) {
        if (call.ended() > from && begin <= to) {
          Gap gap = new Gap(begin, call.ended());
          longest = gap.length().compareTo(longest.length()) > 0 ? gap : longest;
          begin = call.code() == 0 ? call.ended() : begin;
        }
      }
      return longest;
    }

    /** From a moment until it was ready, or was not; very long if it was never. */
    Duration until(long moment, boolean ready) {
      return readiness.since(moment).stream()
          .filter(call -> call.code() == 200 == ready)
          .findFirst()
          .map(call -> Duration.ofNanos(call.ended() - moment))
          .orElse(NEVER);
    }

    /** What was later than a busy machine explains, in a step. */
    List<String> late(Step step, Gap gap) {
      List<String> late = new ArrayList<>();
      Duration most = step.target().multipliedBy(2);
      if (gap.length().compareTo(most.compareTo(READY) > 0 ? most : READY) > 0) {
        late.add("no create");
      }
      if (until(gap.end(), true).compareTo(READY) > 0) {
        late.add("not ready although creates succeed");
      }
      if (gap.length().compareTo(TWO_BEATS) > 0
          && until(gap.begin(), false).compareTo(TWO_BEATS) > 0) {
        late.add("ready although no create succeeds");
      }
      return late.stream().map(what -> server.name() + ", " + step.what() + ": " + what).toList();
    }

    /** How readiness changed in a step. */
    String changes(Stopwatch step, long to) {
      int before = 200;
      List<String> changes = new ArrayList<>();
      for (Call call : readiness.since(0)) {
        if (call.code() != before && call.ended() >= step.startedAt() && call.ended() < to) {
          changes.add(
              String.format(
                  Locale.ROOT, "%d at %.1f s", call.code(), seconds(step.until(call.ended()))));
        }
        before = call.code();
      }
      return changes.isEmpty() ? "200" : String.join(", ", changes);
    }
  }

  private Failover(DatabaseGroup<?> group, Cluster cluster) {
    this.group = group;
    this.cluster = cluster;
    this.servers = cluster.startServers(2); // side by side: the first migrates, on Galera, too
  }

  /** Starts the servers. */
  static Failover on(DatabaseGroup<?> group, String name) {
    return new Failover(group, Cluster.onWithoutRedis(group.given(), name));
  }

  /**
   * Has it happen under load.
   *
   * @param steps asked for when there is load
   */
  void survive(String name, Supplier<List<Step>> steps) {
    List<String> late = new ArrayList<>();
    List<Scenario> scenarios = new ArrayList<>();
    List<Integer> writers = new ArrayList<>();
    Outcome outcome =
        new ChaosRun(PLAN, System.out::println)
            .run(
                cluster,
                name,
                (all, workers) -> {
                  scenarios.addAll(all);
                  return () -> {
                    strike(name, all, steps, late);
                    group.writers().forEach(member -> writers.add(member.number()));
                  };
                });
    Figures.print(
        "%s: %d tasks, %s of jobs; %d lost, %d twice; %d calls were answered with 500; the servers"
            + " write to %s",
        name,
        outcome.verdict().tasks(),
        outcome.jobs(),
        outcome.verdict().count(Invariant.CREATED_IS_FINISHED),
        outcome.verdict().count(Invariant.ONE_TASK_A_KEY),
        internal(scenarios),
        writers);
    assertThat(outcome.verdict().violations()).isEmpty();
    assertThat(outcome.verdictOnDefaults().violations()).isEmpty();
    assertThat(outcome.violationsOfSchedules()).isEmpty();
    group.awaitWhole();
    scenarios.forEach(this::assertThatAllMembersHaveTheSame);
    assertThat(internal(scenarios)).isZero();
    assertThat(late).as("later than twice the target").isEmpty();
  }

  private void strike(
      String name, List<Scenario> scenarios, Supplier<List<Step>> plan, List<String> late) {
    Scenario scenario = scenarios.get(0);
    List<Stopwatch> begins = new ArrayList<>();
    try (Watch first = Watch.of(scenario, servers.get(0));
        Watch second = Watch.of(scenario, servers.get(1))) {
      first.awaitCreate();
      second.awaitCreate();
      Window.pass(AFTERMATH);
      List<Step> steps = plan.get();
      Runnable harm =
          () -> {
            for (Step step : steps) {
              begins.add(Stopwatch.start());
              step.act().run();
              Window.pass(step.lasting());
              try {
                first.awaitCreate();
                second.awaitCreate();
              } catch (ConditionTimeoutException e) {
                // The figures say so.
              }
            }
            Window.pass(AFTERMATH);
          };
      for (Scenario each : scenarios.subList(0, 2)) {
        Runnable inner = harm;
        harm = () -> each.fault(name, inner);
      }
      harm.run();
      begins.add(Stopwatch.start());
      first.conclude();
      second.conclude();
      for (int i = 0; i < steps.size(); i++) {
        long end = begins.get(i + 1).startedAt();
        print(name, steps.get(i), begins.get(i), end, first, second);
        for (Watch watch : List.of(first, second)) {
          late.addAll(watch.late(steps.get(i), watch.gap(begins.get(i).startedAt(), end)));
        }
      }
    }
  }

  private static void print(String name, Step step, Stopwatch begin, long end, Watch... watches) {
    for (Watch watch : watches) {
      Gap gap = watch.gap(begin.startedAt(), end);
      List<Call> calls =
          watch.creates().since(begin.startedAt()).stream()
              .filter(call -> call.began() < end)
              .toList();
      Figures.print(
          "%s, %s (%.1f s): %s was %.1f s at most without a create (target %.1f s); answers %s, the"
              + " slowest after %.1f s; readiness %s, 200 %.1f s after the next create",
          name,
          step.what(),
          seconds(begin.until(end)),
          watch.server().name(),
          seconds(gap.length()),
          seconds(step.target()),
          calls.stream()
              .collect(Collectors.groupingBy(Call::code, TreeMap::new, Collectors.counting())),
          seconds(Probe.slowest(calls)),
          watch.changes(begin, end),
          seconds(watch.until(gap.end(), true)));
    }
  }

  /** Calls of anybody that were answered with 500. */
  private static long internal(List<Scenario> scenarios) {
    return scenarios.stream()
        .flatMap(scenario -> scenario.history().events().stream())
        .filter(event -> event.code() != null && event.code() == ErrorCode.INTERNAL.code())
        .map(event -> event.process() + event.call())
        .distinct()
        .count();
  }

  private void assertThatAllMembersHaveTheSame(Scenario scenario) {
    List<Set<Object>> all =
        group.members().stream().map(member -> rows(member, scenario.taskType())).toList();
    assertThat(all).allMatch(all.get(0)::equals, "the rows of the first member");
  }

  private static Set<Object> rows(GroupMember member, String type) {
    try (Connection connection = member.given().connect()) {
      Audit audit = Audit.read(connection, type);
      Set<Object> rows = new HashSet<>(audit.rows());
      rows.addAll(audit.jobs());
      return rows;
    } catch (SQLException e) {
      throw new IllegalStateException("member " + member.number() + " cannot be read", e);
    }
  }

  @Override
  public void close() {
    cluster.close();
  }
}
