package io.asyncflow.systemtest.fault.load;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobChildren;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.Task;
import io.asyncflow.api.pause.PauseKind;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.scenario.Window;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Everything is paused and resumed all the time, while tasks come and go on two servers. */
@Tag("faults")
@Timeout(600)
class PauseFaultsIT {

  private static final Duration LOAD = Duration.ofSeconds(30);
  private static final Duration PROMISE = Duration.ofSeconds(1);
  private static final Duration PAUSED = Duration.ofMillis(1_600);
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  /** Of each kind; one pauses and resumes in each period, so these make 20 acts a second. */
  private static final int PAUSERS = 24;

  private static final Duration PERIOD = Duration.ofMillis(2_250);

  private static final int WORKERS = PAUSERS + 8;
  private static final int STAGES = PAUSERS + 8;
  private static final int CHILDREN = 10;
  private static final int CREATORS = 4;
  private static final int A_CALL = 50;
  private static final String TYPE = "row43";
  private static final String UNFINISHED = "status IN (1, 2, 32)";

  /** The types that are paused; the first one is that of the schedules. */
  private static final List<String> OTHER_TYPES =
      IntStream.range(0, PAUSERS).mapToObj(i -> TYPE + "_" + i).toList();

  /** A task that a hold call returned, which began and ended then. */
  private record Held(Task task, String worker, long began, long ended) {}

  /** From a second after the answer to a pause until its resume was sent. */
  private record Paused(String what, Predicate<Held> concerns, long from, long to) {

    boolean isBrokenBy(Held held) {
      return concerns.test(held) && held.began() > from && held.ended() < to;
    }
  }

  private final Queue<Held> held = new ConcurrentLinkedQueue<>();
  private final Queue<Paused> pauses = new ConcurrentLinkedQueue<>();
  private final Queue<String> jobs = new ConcurrentLinkedQueue<>();
  private final Queue<String> schedules = new ConcurrentLinkedQueue<>();
  private final AtomicInteger created = new AtomicInteger();
  private final Map<String, AtomicInteger> acts = new ConcurrentSkipListMap<>();
  private volatile boolean isLoaded = true;
  private volatile boolean isOver;

  @Test
  void row43_whatIsPausedGivesNothingAndLosesNothing() {
    try (Cluster cluster = Cluster.startWithoutRedis("row43")) {
      List<ServerNode> servers = cluster.startServers(2);
      TypePlan plan = TypePlan.quick().withLease(Duration.ofSeconds(30));
      List<Scenario> others = new ArrayList<>();
      try (Scenario scenario = Scenario.of(cluster, TYPE, plan)) {
        OTHER_TYPES.forEach(type -> others.add(Scenario.of(cluster, type, plan)));
        ExecutorService threads = Executors.newCachedThreadPool();
        List<CompletableFuture<Void>> work = new ArrayList<>();
        try {
          for (int i = 0; i < WORKERS; i++) {
            FlowClient client = servers.get(i % 2).client();
            String worker = "w" + i;
            work.add(CompletableFuture.runAsync(() -> serve(client, worker), threads));
          }
          for (int i = 0; i < CREATORS; i++) {
            FlowClient creating = servers.get(i % 2).client();
            work.add(CompletableFuture.runAsync(() -> createAll(creating), threads));
          }
          FlowClient client = servers.get(0).client();
          List<CompletableFuture<Void>> pausers = startPausers(servers, threads);
          Stopwatch watch = Stopwatch.start();
          Window.pass(LOAD);
          isLoaded = false;
          pausers.forEach(CompletableFuture::join);
          double load = created.get() / seconds(watch.elapsed());
          String rates =
              acts.entrySet().stream()
                  .map(
                      kind ->
                          String.format(
                              Locale.ROOT,
                              "%.0f of %ss",
                              kind.getValue().get() / seconds(watch.elapsed()),
                              kind.getKey()))
                  .collect(joining(", "));
          schedules.forEach(client.schedules()::delete);

          await()
              .atMost(PATIENCE)
              .until(() -> unfinished(scenario) + count(others, UNFINISHED) == 0);
          await()
              .atMost(PATIENCE)
              .until(
                  () ->
                      jobs.stream()
                          .allMatch(id -> client.jobs().getJob(id).state() == JobState.SUCCESS));
          isOver = true;
          work.forEach(CompletableFuture::join);

          List<String> broken =
              pauses.stream()
                  .flatMap(
                      paused ->
                          held.stream()
                              .filter(paused::isBrokenBy)
                              .map(one -> paused.what() + ": " + one.task().taskId()))
                  .toList();
          Figures.print(
              "row 43: %s tasks (%.0f a second) and %s jobs under pauses and resumes, a second %s:"
                  + " %s held a second after a pause",
              created.get(), load, jobs.size(), rates, broken.size());
          assertThat(pauses).isNotEmpty();
          assertThat(broken).isEmpty();
          assertThat(
                  scenario.count("status = 4 AND job_id IS NULL")
                      + count(others, "status = 4 AND schedule_id IS NULL"))
              .isEqualTo(created.get());
          assertThat(count(others, "status = 4 AND schedule_id IS NOT NULL")).isPositive();
          assertThat(client.pauses().list(null, 100, null).pauseList()).isEmpty();
        } finally {
          isLoaded = false;
          isOver = true;
          threads.shutdownNow();
          others.forEach(Scenario::close);
        }
      }
    }
  }

  private static int unfinished(Scenario scenario) {
    return scenario.count(UNFINISHED);
  }

  private static int count(List<Scenario> scenarios, String condition) {
    return scenarios.stream().mapToInt(scenario -> scenario.count(condition)).sum();
  }

  /** Its part of a thousand tasks a second. */
  private void createAll(FlowClient client) {
    for (long next = System.nanoTime(); isLoaded; next += CREATORS * A_CALL * 1_000_000L) {
      Window.pass(Duration.ofNanos(Math.max(0, next - System.nanoTime())));
      int drawn = ThreadLocalRandom.current().nextInt(10 * PAUSERS);
      String type = drawn < PAUSERS ? OTHER_TYPES.get(drawn) : TYPE;
      List<NewTask> tasks =
          IntStream.range(0, A_CALL)
              .mapToObj(
                  i -> NewTask.of(type, "s" + i % STAGES, "ann", "").withIdempotencyKey(aKey()))
              .toList();
      insist(() -> client.createTasks(tasks));
      created.addAndGet(A_CALL);
    }
  }

  private void serve(FlowClient client, String worker) {
    for (int i = 0; !isOver; i++) {
      String type = i % 4 == 0 ? OTHER_TYPES.get(i / 4 % PAUSERS) : TYPE;
      HoldRequest request = new HoldRequest(type, 100, worker, 0, null, List.of());
      long began = System.nanoTime();
      List<Task> tasks = insist(() -> client.holdTasks(request));
      long ended = System.nanoTime();
      tasks.forEach(task -> held.add(new Held(task, worker, began, ended)));
      if (tasks.isEmpty()) {
        Window.pass(Duration.ofMillis(50));
      } else {
        tasks.stream()
            .filter(task -> task.taskStage().equals("split"))
            .forEach(task -> split(client, task));
        insist(() -> client.report(tasks.stream().map(PauseFaultsIT::success).toList()));
      }
    }
  }

  private static void split(FlowClient client, Task task) {
    List<JobChild> children =
        IntStream.range(0, CHILDREN).mapToObj(i -> new JobChild("s" + i, "", null)).toList();
    JobChildren page =
        new JobChildren(task.taskId(), task.workerId(), task.leaseEpoch(), 0, children);
    insist(
        () -> {
          client.jobs().addJobChildren(page);
          return page;
        });
  }

  private static Report success(Task task) {
    return Report.of(task.taskId(), task.workerId(), task.leaseEpoch(), Outcome.SUCCESS);
  }

  private List<CompletableFuture<Void>> startPausers(
      List<ServerNode> servers, ExecutorService threads) {
    List<Runnable> pausers = new ArrayList<>();
    for (int i = 0; i < PAUSERS; i++) {
      FlowClient client = servers.get(i % 2).client();
      String type = OTHER_TYPES.get(i);
      pausers.add(
          () ->
              pause(
                  "type",
                  type,
                  one -> one.task().taskType().equals(type),
                  () -> client.pauses().set(PauseKind.TYPE, type),
                  () -> client.pauses().clear(PauseKind.TYPE, type)));
      String stage = "s" + i;
      String name = TYPE + "/" + stage;
      pausers.add(
          () ->
              pause(
                  "stage",
                  name,
                  one -> one.task().taskType().equals(TYPE) && one.task().taskStage().equals(stage),
                  () -> client.pauses().set(PauseKind.STAGE, name),
                  () -> client.pauses().clear(PauseKind.STAGE, name)));
      String worker = "w" + i;
      pausers.add(
          () ->
              pause(
                  "worker",
                  worker,
                  one -> one.worker().equals(worker),
                  () -> client.pauses().set(PauseKind.WORKER, worker),
                  () -> client.pauses().clear(PauseKind.WORKER, worker)));
      pausers.add(() -> pauseTask(client));
      pausers.add(() -> pauseJob(client));
      String schedule = aSchedule(client, i);
      pausers.add(() -> pauseSchedule(client, schedule));
    }
    Duration apart = PERIOD.dividedBy(pausers.size());
    return IntStream.range(0, pausers.size())
        .mapToObj(
            i ->
                CompletableFuture.runAsync(
                    () -> eachPeriod(pausers.get(i), apart.multipliedBy(i)), threads))
        .toList();
  }

  private void eachPeriod(Runnable pauser, Duration after) {
    Window.pass(after);
    for (long next = System.nanoTime(); isLoaded; next += PERIOD.toNanos()) {
      Window.pass(Duration.ofNanos(Math.max(0, next - System.nanoTime())));
      pauser.run();
    }
  }

  /** It is due while it is paused. */
  private void pauseTask(FlowClient client) {
    NewTask task =
        NewTask.of(TYPE, "s0", "ann", "")
            .withDelayMs(PROMISE.toMillis())
            .withIdempotencyKey(aKey());
    String id = insist(() -> client.createTask(task));
    created.incrementAndGet();
    pauseIfNotDone(
        "task",
        id,
        one -> one.task().taskId().equals(id),
        () -> client.pauseTask(id, true, null, null),
        () -> client.resumeTask(id));
  }

  private void pauseJob(FlowClient client) {
    NewJob job = NewJob.of(TYPE, "ann", "").withIdempotencyKey(aKey());
    String id = insist(() -> client.jobs().createJob(job));
    jobs.add(id);
    pauseIfNotDone(
        "job",
        id,
        one -> id.equals(one.task().jobId()),
        () -> client.jobs().pauseJob(id),
        () -> client.jobs().resumeJob(id));
  }

  private void pauseIfNotDone(
      String kind, String name, Predicate<Held> concerns, Runnable pause, Runnable resume) {
    try {
      pause(kind, name, concerns, pause, resume);
    } catch (FlowException e) {
      assertThat(e.errorCode()).isEqualTo(ErrorCode.TRANSITION_NOT_ALLOWED);
    }
  }

  /** It fires each second; its fires are made up to half a minute ahead. */
  private String aSchedule(FlowClient client, int number) {
    NewSchedule schedule =
        NewSchedule.every(TYPE + "_" + number, Duration.ofSeconds(1))
            .creating(NewTask.of(OTHER_TYPES.get(0), "s" + number, "ann", ""));
    String id = client.schedules().save(schedule).scheduleId();
    schedules.add(id);
    return id;
  }

  /** Concerned are the fires of the time after the answer. */
  private void pauseSchedule(FlowClient client, String id) {
    AtomicLong answered = new AtomicLong(Long.MAX_VALUE);
    pause(
        "schedule",
        id,
        one -> id.equals(one.task().scheduleId()) && one.task().fireTime() > answered.get(),
        () -> {
          client.schedules().pause(id);
          answered.set(System.currentTimeMillis());
        },
        () -> client.schedules().resume(id));
  }

  private static String aKey() {
    return UUID.randomUUID().toString();
  }

  private static void insist(Runnable call) {
    insist(
        () -> {
          call.run();
          return null;
        });
  }

  /** Repeats a call while the servers have no room for it. */
  private static <T> T insist(Supplier<T> call) {
    while (true) {
      try {
        return call.get();
      } catch (FlowException e) {
        if (!e.retryable()) {
          throw e;
        }
        Window.pass(Duration.ofMillis(100));
      }
    }
  }

  private void pause(
      String kind, String name, Predicate<Held> concerns, Runnable pause, Runnable resume) {
    insist(pause);
    long answered = System.nanoTime();
    Window.pass(PAUSED);
    String what = kind + " " + name;
    pauses.add(new Paused(what, concerns, answered + PROMISE.toNanos(), System.nanoTime()));
    insist(resume);
    acts.computeIfAbsent(kind, k -> new AtomicInteger()).addAndGet(2);
  }
}
