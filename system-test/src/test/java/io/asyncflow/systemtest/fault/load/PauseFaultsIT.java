package io.asyncflow.systemtest.fault.load;

import static io.asyncflow.systemtest.measure.Figures.seconds;
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
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Everything is paused and resumed all the time, while tasks come and go on two servers. */
@Tag("faults")
@Timeout(600)
class PauseFaultsIT {

  private static final Duration LOAD = Duration.ofSeconds(20);
  private static final Duration PROMISE = Duration.ofSeconds(1);
  private static final Duration PAUSED = Duration.ofMillis(1_600);
  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final int WORKERS = 8;
  private static final int STAGES = 10;
  private static final int A_CALL = 50;
  private static final String TYPE = "row43";
  private static final String OTHER_TYPE = "row43_other";

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
  private final AtomicInteger acts = new AtomicInteger();
  private volatile boolean isLoaded = true;
  private volatile boolean isOver;

  @Test
  void row43_whatIsPausedGivesNothingAndLosesNothing() {
    try (Cluster cluster = Cluster.startWithoutRedis("row43")) {
      List<ServerNode> servers = cluster.startServers(2);
      TypePlan plan = TypePlan.quick().withLease(Duration.ofSeconds(30));
      try (Scenario scenario = Scenario.of(cluster, TYPE, plan);
          Scenario other = Scenario.of(cluster, OTHER_TYPE, plan)) {
        ExecutorService threads = Executors.newCachedThreadPool();
        List<CompletableFuture<Void>> work = new ArrayList<>();
        try {
          for (int i = 0; i < WORKERS; i++) {
            FlowClient client = servers.get(i % 2).client();
            String worker = "w" + i;
            work.add(CompletableFuture.runAsync(() -> serve(client, worker), threads));
          }
          FlowClient client = servers.get(0).client();
          work.add(CompletableFuture.runAsync(() -> createAll(client), threads));
          List<CompletableFuture<Void>> pausers = startPausers(servers, threads);
          Stopwatch watch = Stopwatch.start();
          Window.pass(LOAD);
          isLoaded = false;
          pausers.forEach(CompletableFuture::join);
          double load = created.get() / seconds(watch.elapsed());
          double rate = acts.get() / seconds(watch.elapsed());
          schedules.forEach(client.schedules()::delete);

          await().atMost(PATIENCE).until(() -> unfinished(scenario) + unfinished(other) == 0);
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
              "row 43: %d tasks (%.0f a second) and %d jobs under %.0f pauses and resumes a second:"
                  + " %d held a second after a pause",
              created.get(), load, jobs.size(), rate, broken.size());
          assertThat(pauses).isNotEmpty();
          assertThat(broken).isEmpty();
          assertThat(
                  scenario.count("status = 4 AND job_id IS NULL")
                      + other.count("status = 4 AND schedule_id IS NULL"))
              .isEqualTo(created.get());
          assertThat(other.count("status = 4 AND schedule_id IS NOT NULL")).isPositive();
          assertThat(client.pauses().list(null, 100, null).pauseList()).isEmpty();
        } finally {
          isLoaded = false;
          isOver = true;
          threads.shutdownNow();
        }
      }
    }
  }

  private static int unfinished(Scenario scenario) {
    return scenario.count("status IN (1, 2, 32)");
  }

  /** A thousand tasks a second. */
  private void createAll(FlowClient client) {
    for (long next = System.nanoTime(); isLoaded; next += A_CALL * 1_000_000L) {
      Window.pass(Duration.ofNanos(Math.max(0, next - System.nanoTime())));
      String type = ThreadLocalRandom.current().nextInt(10) == 0 ? OTHER_TYPE : TYPE;
      client.createTasks(
          IntStream.range(0, A_CALL)
              .mapToObj(i -> NewTask.of(type, "s" + i % STAGES, "ann", ""))
              .toList());
      created.addAndGet(A_CALL);
    }
  }

  private void serve(FlowClient client, String worker) {
    for (int i = 0; !isOver; i++) {
      String type = i % 4 == 0 ? OTHER_TYPE : TYPE;
      HoldRequest request = new HoldRequest(type, 100, worker, 0, null, List.of());
      long began = System.nanoTime();
      List<Task> tasks = client.holdTasks(request);
      long ended = System.nanoTime();
      tasks.forEach(task -> held.add(new Held(task, worker, began, ended)));
      if (tasks.isEmpty()) {
        Window.pass(Duration.ofMillis(20));
      } else {
        tasks.stream()
            .filter(task -> task.taskStage().equals("split"))
            .forEach(task -> split(client, task));
        client.report(tasks.stream().map(PauseFaultsIT::success).toList());
      }
    }
  }

  private static void split(FlowClient client, Task task) {
    List<JobChild> children =
        IntStream.range(0, STAGES).mapToObj(i -> new JobChild("s" + i, "", null)).toList();
    client
        .jobs()
        .addJobChildren(
            new JobChildren(task.taskId(), task.workerId(), task.leaseEpoch(), 0, children));
  }

  private static Report success(Task task) {
    return Report.of(task.taskId(), task.workerId(), task.leaseEpoch(), Outcome.SUCCESS);
  }

  private List<CompletableFuture<Void>> startPausers(
      List<ServerNode> servers, ExecutorService threads) {
    List<Runnable> pausers = new ArrayList<>();
    FlowClient client = servers.get(1).client();
    pausers.add(
        () ->
            pause(
                OTHER_TYPE,
                one -> one.task().taskType().equals(OTHER_TYPE),
                () -> client.pauses().set(PauseKind.TYPE, OTHER_TYPE),
                () -> client.pauses().clear(PauseKind.TYPE, OTHER_TYPE)));
    for (int i = 0; i < STAGES; i++) {
      String stage = "s" + i;
      String name = TYPE + "/" + stage;
      pausers.add(
          () ->
              pause(
                  name,
                  one -> one.task().taskType().equals(TYPE) && one.task().taskStage().equals(stage),
                  () -> client.pauses().set(PauseKind.STAGE, name),
                  () -> client.pauses().clear(PauseKind.STAGE, name)));
    }
    for (int i = 1; i < WORKERS; i += 2) {
      String worker = "w" + i;
      pausers.add(
          () ->
              pause(
                  worker,
                  one -> one.worker().equals(worker),
                  () -> client.pauses().set(PauseKind.WORKER, worker),
                  () -> client.pauses().clear(PauseKind.WORKER, worker)));
    }
    for (int i = 0; i < 4; i++) {
      pausers.add(() -> pauseTask(client));
      pausers.add(() -> pauseJob(client));
      String schedule = aSchedule(client, i);
      pausers.add(() -> pauseSchedule(client, schedule));
    }
    return pausers.stream()
        .map(
            pauser ->
                CompletableFuture.runAsync(
                    () -> {
                      while (isLoaded) {
                        pauser.run();
                        Window.pass(Duration.ofMillis(100));
                      }
                    },
                    threads))
        .toList();
  }

  private void pauseTask(FlowClient client) {
    String id = client.createTask(NewTask.of(TYPE, "s0", "ann", ""));
    created.incrementAndGet();
    try {
      pause(
          id,
          one -> one.task().taskId().equals(id),
          () -> client.pauseTask(id, true, null, null),
          () -> client.resumeTask(id));
    } catch (FlowException e) { // it is done already
      assertThat(e.errorCode()).isEqualTo(ErrorCode.TRANSITION_NOT_ALLOWED);
    }
  }

  private void pauseJob(FlowClient client) {
    String id = client.jobs().createJob(NewJob.of(TYPE, "ann", ""));
    jobs.add(id);
    try {
      pause(
          "job " + id,
          one -> id.equals(one.task().jobId()),
          () -> client.jobs().pauseJob(id),
          () -> client.jobs().resumeJob(id));
    } catch (FlowException e) {
      assertThat(e.errorCode()).isEqualTo(ErrorCode.TRANSITION_NOT_ALLOWED);
    }
  }

  /** It fires each second; its fires are made up to half a minute ahead. */
  private String aSchedule(FlowClient client, int number) {
    NewSchedule schedule =
        NewSchedule.every(OTHER_TYPE + "_" + number, Duration.ofSeconds(1))
            .creating(NewTask.of(OTHER_TYPE, "s" + number, "ann", ""));
    String id = client.schedules().save(schedule).scheduleId();
    schedules.add(id);
    return id;
  }

  /** Concerned are the fires of the time after the answer. */
  private void pauseSchedule(FlowClient client, String id) {
    AtomicLong answered = new AtomicLong(Long.MAX_VALUE);
    pause(
        "schedule " + id,
        one -> id.equals(one.task().scheduleId()) && one.task().fireTime() > answered.get(),
        () -> {
          client.schedules().pause(id);
          answered.set(System.currentTimeMillis());
        },
        () -> client.schedules().resume(id));
  }

  private void pause(String what, Predicate<Held> concerns, Runnable pause, Runnable resume) {
    pause.run();
    long answered = System.nanoTime();
    Window.pass(PAUSED);
    pauses.add(new Paused(what, concerns, answered + PROMISE.toNanos(), System.nanoTime()));
    resume.run();
    acts.addAndGet(2);
  }
}
