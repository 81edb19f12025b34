package io.asyncflow.systemtest.fault.schedule;

import static io.asyncflow.systemtest.measure.Figures.ms;
import static io.asyncflow.systemtest.measure.Figures.seconds;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.Call;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.Transport;
import io.asyncflow.api.schedule.FireOutcome;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.api.schedule.SaveOutcome;
import io.asyncflow.api.schedule.SavedSchedule;
import io.asyncflow.api.schedule.ScheduleClient;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.systemtest.check.ScheduleChecker;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.history.ScheduleAudit;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Window;
import io.asyncflow.worker.Cron;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Schedules whose servers die, sleep, come and go, whose database is away, and whose callers all
 * want something else. The numbers are rows.
 */
@Tag("faults")
@Timeout(900)
class ScheduleFaultsIT {

  private static final Duration LEASE = Duration.ofSeconds(10);

  /** A lease, a round, and what a machine may take for it. */
  private static final Duration TAKEOVER = Duration.ofSeconds(14);

  private static final Duration SHARE = Duration.ofSeconds(60);
  private static final Duration LONG_PATIENCE = Duration.ofSeconds(90);

  /** Of the third server; the others have 100 each. */
  private static final int WEIGHT = 50;

  private static final double SHARE_OF_THE_THIRD = WEIGHT / 250.0;

  private static Cluster cluster;
  private static List<ServerNode> servers;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.startWithoutRedis("schedule-faults");
    servers =
        Stream.of("100", "100", Integer.toString(WEIGHT))
            .map(
                weight ->
                    cluster.launchServer(
                        plan -> plan.withAll(Map.of("FLOW_SCHEDULE_WEIGHT", weight))))
            .toList();
    servers.forEach(ServerNode::awaitReady);
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  /** {@code -Dasyncflow.schedule.seconds=300} makes 60,000 fires. */
  @Test
  void row29_killedOwnersLoseNoFireAndMakeNoneTwice() {
    final int count = 200;
    final Duration time = Duration.ofSeconds(Long.getLong("asyncflow.schedule.seconds", 60));
    final Duration pause = Duration.ofSeconds(10);
    final Duration ahead = Duration.ofSeconds(30);
    try (Ticking ticking = Ticking.on(cluster, "row29");
        SliceWatch watch = SliceWatch.on(cluster)) {
      long start = ticking.now() + ahead.toMillis();
      long end = start + time.toMillis();
      ticking.save(
          IntStream.range(0, count)
              .mapToObj(ticking::eachSecond)
              .map(one -> one.startTime(Instant.ofEpochMilli(start)))
              .map(one -> one.endTime(Instant.ofEpochMilli(end)))
              .toList());
      int kills = 0;
      for (Stopwatch since = Stopwatch.start(); ticking.now() < end; since = Stopwatch.start()) {
        ServerNode victim = servers.get(kills++ % servers.size());
        victim.kill();
        victim.start();
        victim.awaitReady();
        Duration left = pause.minus(since.elapsed());
        if (!left.isNegative()) {
          Window.pass(left);
        }
      }
      long expected = count * time.toSeconds();
      ticking.awaitFatesUntil(end);
      ticking.awaitRuns();
      ScheduleAudit audit = ticking.audit();
      Duration late = ScheduleChecker.lateness(audit);
      Figures.print(
          "row 29: %s servers killed -9 in turn under %s schedules of one second; %s of %s fires,"
              + " each with its one task; the latest was made %s ms after its time (target 0)",
          kills, count, audit.fires().size(), expected, ms(late));
      assertThat(Ticking.violations(audit)).isEmpty();
      assertThat(audit.fires().size()).isEqualTo(expected);
      assertThat(firesWithTheirTask(ticking)).isEqualTo(expected);
      assertThat(audit.runs().size()).isEqualTo(expected);
      assertThat(ticking.countTasks("status = 4")).isEqualTo(expected);
      assertThat(watch.contradictions()).isEmpty();
      assertThat(late).isLessThan(Ticking.PATIENCE);
    }
  }

  private static long firesWithTheirTask(Ticking ticking) {
    return ticking.fireTables().stream()
        .mapToLong(
            table ->
                ticking.number(
                    """
                    SELECT COUNT(DISTINCT f.schedule_id, f.fire_time)
                    FROM %s f
                    JOIN t_row29_task_1 t
                      ON t.id = f.task_number
                      AND t.schedule_id = f.schedule_id
                      AND t.fire_time = f.fire_time
                    WHERE f.outcome = 1
                    """
                        .formatted(table)))
        .sum();
  }

  @Test
  void row31_ownerThatWasStoppedChangesNothingWhenItWakesUp() {
    try (Ticking ticking = Ticking.on(cluster, "row31");
        SliceWatch watch = SliceWatch.on(cluster)) {
      ticking.saveOfAnyPolicy(60);
      await().atMost(LONG_PATIENCE).until(() -> Slices.read(cluster).areSharedBy(servers.size()));
      ServerNode victim = servers.get(0);
      victim.pause();
      Slices before = Slices.read(cluster);
      Stopwatch stopped = Stopwatch.start();
      await()
          .atMost(TAKEOVER.multipliedBy(3))
          .pollInterval(Duration.ofMillis(100))
          .until(() -> Slices.read(cluster).areOwnedSince(before));
      Duration takeover = stopped.elapsed();
      Duration left = LEASE.multipliedBy(2).minus(takeover);
      if (!left.isNegative()) {
        Window.pass(left);
      }
      victim.resume();
      await()
          .atMost(LONG_PATIENCE)
          .until(() -> victim.hasPrinted("slices of the schedules to other servers"));
      ticking.awaitFatesUntil(ticking.now());
      ticking.stop();
      Figures.print(
          "row 31: owner stopped by SIGSTOP for %s s; its slices had other owners after %.1f s"
              + " (target %s s), and nothing was done twice when it woke up",
          LEASE.multipliedBy(2).toSeconds(), seconds(takeover), TAKEOVER.toSeconds());
      assertThat(ticking.violations()).isEmpty();
      assertThat(watch.contradictions()).isEmpty();
    }
  }

  @Test
  void row35_serverThatJoinsGetsItsShareAndTheLastOneAll() {
    ServerNode third = servers.get(2);
    third.terminate();
    assertThat(third.awaitEnd(LONG_PATIENCE)).isTrue();
    try (Ticking ticking = Ticking.on(cluster, "row35");
        SliceWatch watch = SliceWatch.on(cluster)) {
      ticking.saveOfAnyPolicy(120);
      await()
          .atMost(LONG_PATIENCE)
          .until(
              () -> Slices.read(cluster),
              slices -> slices.areOwned() && slices.owners().size() == 2);
      final Set<String> others = Slices.read(cluster).owners();
      third.start();
      third.awaitReady();
      Stopwatch watched = Stopwatch.start();
      Slices shared =
          await()
              .atMost(LONG_PATIENCE.multipliedBy(2))
              .pollInterval(Duration.ofMillis(100))
              .until(
                  () -> Slices.read(cluster),
                  now -> now.partOfOthersThan(others) >= SHARE_OF_THE_THIRD - now.largest());
      final Duration joined = watched.elapsed();

      ServerNode first = servers.get(0);
      first.kill();
      Slices before = Slices.read(cluster);
      watched = Stopwatch.start();
      await()
          .atMost(TAKEOVER.multipliedBy(3))
          .pollInterval(Duration.ofMillis(100))
          .until(() -> Slices.read(cluster).areOwnedSince(before));
      final Duration taken = watched.elapsed();

      ServerNode second = servers.get(1);
      second.terminate();
      watched = Stopwatch.start();
      await()
          .atMost(TAKEOVER.multipliedBy(3))
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> Slices.read(cluster),
              slices -> slices.areOwned() && slices.owners().size() == 1);
      final Duration alone = watched.elapsed();
      assertThat(second.awaitEnd(LONG_PATIENCE)).isTrue();
      ticking.awaitFatesUntil(ticking.now());
      first.start();
      second.start();
      first.awaitReady();
      second.awaitReady();
      ticking.stop();
      Figures.print(
          "row 35: a third server with a fifth of the weights joined, and had %.0f %% of the load"
              + " after %.0f s (target %s s); slices of a killed owner had others after %.1f s"
              + " (target %s s); those of a server that stopped after %.1f s",
          100 * shared.partOfOthersThan(others),
          seconds(joined),
          SHARE.toSeconds(),
          seconds(taken),
          TAKEOVER.toSeconds(),
          seconds(alone));
      assertThat(ticking.violations()).isEmpty();
      assertThat(watch.contradictions()).isEmpty();
    }
  }

  @Test
  void tenWorkersThatBootAtOnceSaveTheirScheduleOnce() {
    final int count = 10;
    Queue<SaveOutcome> outcomes = new ConcurrentLinkedQueue<>();
    try (Ticking ticking = Ticking.on(cluster, "boot")) {
      List<Worker> workers =
          IntStream.range(0, count)
              .mapToObj(
                  i ->
                      Worker.builder()
                          .client(new Noting(servers.get(i % servers.size()), outcomes))
                          .workerId("boot-" + i)
                          .spoolDir(cluster.directory().resolve("spool-boot-" + i))
                          .handlers(new Nightly())
                          .build())
              .toList();
      CompletableFuture.allOf(
              workers.stream()
                  .map(worker -> CompletableFuture.runAsync(worker::start, OtherThread::start))
                  .toArray(CompletableFuture[]::new))
          .join();
      await().atMost(LONG_PATIENCE).until(() -> outcomes.size() == count);
      workers.forEach(Worker::close);
      assertThat(outcomes.stream().collect(groupingBy(outcome -> outcome, counting())))
          .isEqualTo(Map.of(SaveOutcome.CREATED, 1L, SaveOutcome.UNCHANGED, count - 1L));
      assertThat(ticking.number("SELECT COUNT(*) FROM t_schedule")).isOne();
      assertThat(ticking.number("SELECT MAX(fence) FROM t_schedule")).isOne();
    }
  }

  /** A stage that each of the workers has. */
  static final class Nightly {

    @Stage(type = "boot", stage = "report")
    @Cron(name = "boot-nightly", value = "0 0 3 * * *", zone = "Europe/Berlin")
    StageResult report(StageContext context) {
      return StageResult.done();
    }
  }

  /** A client that notes what became of saves. */
  private static final class Noting extends ForwardingFlowClient {

    private final Queue<SaveOutcome> outcomes;

    Noting(ServerNode server, Queue<SaveOutcome> outcomes) {
      super(server.client());
      this.outcomes = outcomes;
    }

    @Override
    public Transport transport() {
      Transport server = super.transport();
      return new Transport() {
        @Override
        public <T> T send(Call<T> call) {
          T answer = server.send(call);
          if (answer instanceof List<?> all) {
            all.forEach(this::note);
          } else {
            note(answer);
          }
          return answer;
        }

        private void note(Object answer) {
          if (answer instanceof SavedSchedule saved) {
            outcomes.add(saved.outcome());
          }
        }
      };
    }
  }

  @Test
  void row36_callersThatWantSomethingElseGetItAtOnce() {
    final int callers = 64;
    final int ofOne = 20;
    final int all = 100;
    final Duration time = Duration.ofSeconds(20);
    try (Ticking ticking = Ticking.on(cluster, "row36");
        SliceWatch watch = SliceWatch.on(cluster)) {
      List<SavedSchedule> saved =
          ticking.save(IntStream.range(0, all).mapToObj(ticking::eachSecond).toList());
      Queue<String> problems = new ConcurrentLinkedQueue<>();
      AtomicInteger acts = new AtomicInteger();
      AtomicInteger pauses = new AtomicInteger();
      AtomicInteger refusals = new AtomicInteger();
      long end = System.nanoTime() + time.toNanos();
      ExecutorService threads = Executors.newFixedThreadPool(callers);
      List<CompletableFuture<Void>> running = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        int number = i;
        Random random = new Random(i);
        ScheduleClient client = servers.get(i % servers.size()).client().schedules();
        running.add(
            CompletableFuture.runAsync(
                () -> {
                  while (System.nanoTime() < end) {
                    if (number < ofOne) {
                      pauseAndResume(
                          ticking, client, saved.get(number).scheduleId(), refusals, problems);
                      pauses.incrementAndGet();
                    } else {
                      int other = ofOne + random.nextInt(all - ofOne);
                      act(ticking, client, ticking.eachSecond(other), random, refusals, problems);
                      acts.incrementAndGet();
                    }
                  }
                },
                threads));
      }
      running.forEach(CompletableFuture::join);
      threads.shutdown();
      List<SavedSchedule> last =
          ticking.save(IntStream.range(0, all).mapToObj(ticking::eachSecond).toList());
      last.forEach(one -> ticking.schedules().resume(one.scheduleId()));
      ticking.awaitFatesUntil(ticking.now() + Duration.ofSeconds(2).toMillis());
      assertThat(ticking.number("SELECT COUNT(*) FROM t_schedule WHERE state = 1")).isEqualTo(all);
      ticking.stop();
      ScheduleAudit audit = ticking.audit();
      Figures.print(
          "row 36: %s callers saved, paused, resumed, deleted and created %s schedules of one"
              + " second for %s s: %s acts, and %s pauses with a look at what was left, %s calls"
              + " refused and repeated; %s fires, %s of them withdrawn",
          callers,
          all,
          time.toSeconds(),
          acts.get(),
          pauses.get(),
          refusals.get(),
          audit.fires().size(),
          audit.fires().stream().filter(fire -> fire.outcome() == FireOutcome.WITHDRAWN).count());
      assertThat(problems).isEmpty();
      assertThat(Ticking.violations(audit)).isEmpty();
      assertThat(watch.contradictions()).isEmpty();
    }
  }

  /** From the answer on no task of a later fire can be held. */
  private static void pauseAndResume(
      Ticking ticking,
      ScheduleClient client,
      String id,
      AtomicInteger refusals,
      Queue<String> problems) {
    try {
      untilDone(refusals, () -> client.pause(id));
      long answered = ticking.now();
      for (int look = 0; look < 3; look++) {
        int left =
            ticking.countTasks(
                "schedule_id = %s AND fire_time > %s AND status IN (1, 2, 32)"
                    .formatted(id, answered));
        if (left > 0) {
          problems.add(left + " tasks after " + answered + " are left of " + id);
        }
        Window.pass(Duration.ofMillis(50));
      }
      untilDone(refusals, () -> client.resume(id));
    } catch (RuntimeException e) {
      problems.add(id + ": " + e);
    }
  }

  private static void act(
      Ticking ticking,
      ScheduleClient client,
      NewSchedule schedule,
      Random random,
      AtomicInteger refusals,
      Queue<String> problems) {
    int what = random.nextInt(4);
    try {
      if (what == 0) {
        NewSchedule other = schedule.creating(ticking.task(Integer.toString(random.nextInt(100))));
        untilDone(refusals, () -> client.save(other));
        return;
      }
      String id = client.find(schedule.name()).scheduleId();
      if (what == 1) {
        untilDone(refusals, () -> client.pause(id));
      } else if (what == 2) {
        untilDone(refusals, () -> client.resume(id));
      } else {
        untilDone(refusals, () -> client.delete(id));
        untilDone(refusals, () -> client.save(schedule));
      }
    } catch (FlowException e) {
      boolean isOrdinary =
          e.errorCode() == ErrorCode.NO_SUCH_SCHEDULE
              || e.errorCode() == ErrorCode.CHANGED_MEANWHILE;
      if (!isOrdinary) {
        problems.add(what + " of " + schedule.name() + ": " + e);
      }
    }
  }

  /**
   * Repeats a call that changed nothing because it waited two seconds for a lock in vain, as it may
   * on a machine that is busy with 64 callers and all the servers.
   */
  private static void untilDone(AtomicInteger refusals, Runnable call) {
    final int most = 10;
    for (int refused = 0; ; refused++) {
      try {
        call.run();
        return;
      } catch (FlowException e) {
        if (e.errorCode() != ErrorCode.UNAVAILABLE || refused == most) {
          throw e;
        }
        refusals.incrementAndGet();
      }
    }
  }

  @Test
  void row37_fireTimesOfAnOutageHaveTheirFatesSoonAfterIt() {
    final Duration outage = Duration.ofSeconds(20);
    final Duration target = Duration.ofSeconds(10);
    try (Ticking ticking = Ticking.on(cluster, "row37");
        SliceWatch watch = SliceWatch.on(cluster)) {
      ticking.saveOfAnyPolicy(60);
      ticking.awaitFatesUntil(ticking.now() + Duration.ofSeconds(2).toMillis());
      cluster.database().kill();
      Window.pass(outage);
      cluster.database().restart();
      Stopwatch back = Stopwatch.start();
      ticking.awaitFatesUntil(ticking.now());
      final Duration took = back.elapsed();
      ticking.awaitFatesUntil(ticking.now() + Duration.ofSeconds(2).toMillis());
      ticking.stop();
      Figures.print(
          "row 37: database killed for %s s under 60 schedules of one second; each fire time had a"
              + " fate %.1f s after its return (target %s s)",
          outage.toSeconds(), seconds(took), target.toSeconds());
      assertThat(ticking.violations()).isEmpty();
      assertThat(watch.contradictions()).isEmpty();
      assertThat(took).isLessThan(target.multipliedBy(3));
    }
  }
}
