package io.asyncflow.systemtest.fault.job;

import static io.asyncflow.systemtest.measure.Figures.ms;
import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowUnreachableException;
import io.asyncflow.api.HoldRequest;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobChildren;
import io.asyncflow.api.JobProgress;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Report;
import io.asyncflow.api.ReportResult;
import io.asyncflow.api.Task;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.RedisStatistics;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.scenario.Scenario;
import io.asyncflow.systemtest.scenario.TypePlan;
import io.asyncflow.systemtest.wire.TcpProxy;
import io.asyncflow.systemtest.wire.TcpProxy.Moment;
import io.asyncflow.systemtest.worker.Reports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Jobs whose servers, Redis or listeners' connections break. The numbers are rows of the matrix.
 */
@Tag("faults")
@Timeout(300)
class JobFaultsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String WORKER = "worker";
  private static final String REPORT = "POST /api/task/set_tasks";
  private static final int PAGE = 1_000;

  private static Cluster cluster;
  private static ServerNode other;
  private static ServerNode mortal;
  private static TcpProxy wire;
  private static TcpProxy redis;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.start("job-faults");
    other = cluster.startServer(plan -> plan); // the first leads
    redis = TcpProxy.to(cluster.redis().port());
    // It takes no step of a job, and what it wants to tell Redis can be held up: as if it died
    // right after a commit.
    mortal =
        cluster.startServer(
            plan ->
                plan.withRedis(cluster.redisUrlVia(redis))
                    .withAll(Map.of("FLOW_JOB_STEPTHREADS", "0")));
    wire = TcpProxy.to(mortal.port());
  }

  @AfterAll
  static void stopCluster() {
    wire.close();
    redis.close();
    cluster.close();
  }

  private static TypePlan patient() {
    return TypePlan.quick()
        .withLease(Duration.ofSeconds(60))
        .withMaxProcessingTime(Duration.ofSeconds(60));
  }

  @ParameterizedTest
  @EnumSource
  void row24_serverMayBeKilledBetweenTheLastCommitAndRedis(Moment moment) {
    String type = "row24_" + moment.name().toLowerCase(Locale.ROOT);
    try (Scenario scenario = Scenario.of(cluster, type, patient())) {
      FlowClient client = other.client();
      String id = split(client, type, 3);
      List<Task> children = hold(client, type, "child", 3);
      report(client, children.subList(0, 2));
      List<Report> last = List.of(Reports.success(children.get(2), "the last"));

      redis.freeze();
      FlowClient dying = new HttpFlowClient(URI.create("http://127.0.0.1:" + wire.port()), null);
      wire.trap(REPORT, moment, 1, mortal::kill);
      assertThatThrownBy(() -> dying.report(last)).isInstanceOf(FlowUnreachableException.class);
      Stopwatch watch = Stopwatch.start();
      if (moment == Moment.BEFORE_ANSWER) {
        assertThat(client.jobs().getJob(id).state()).isEqualTo(JobState.MERGING);
      }
      // A worker repeats what was not answered.
      assertThat(client.report(last)).allMatch(ReportResult::stands);
      List<Task> merge = hold(client, type, "merge", 10);
      Duration found = watch.elapsed();
      assertThat(merge).hasSize(1);
      report(client, merge);
      assertEndedOnce(scenario, client.jobs().getJob(id), 3);
      Figures.print(
          "row 24: server killed -9 %s of the last child's report, its Redis cut off: merged once,"
              + " by another server after %.1f s",
          moment, seconds(found));
    } finally {
      wire.heal();
      redis.heal();
      mortal.start();
      mortal.awaitReady();
    }
  }

  @Test
  void row25_listenerSeesTheEndWhateverIsCutUnderIt() throws IOException {
    try (Scenario scenario = Scenario.of(cluster, "row25", patient());
        TcpProxy front = TcpProxy.to(other.port())) {
      FlowClient client = other.client();
      String id = split(client, "row25", 300);
      int done = 0;
      String lastId;
      try (ProgressEvents events = ProgressEvents.of(id, front.port(), null)) {
        report(client, hold(client, "row25", "child", 100));
        done = until(events, 100, done);
        lastId = events.lastId();
        front.resetAll();
        assertThatThrownBy(() -> until(events, 300, 100)).isInstanceOf(IOException.class);
      }
      report(client, hold(client, "row25", "child", 100)); // while nobody listens
      try (ProgressEvents events = ProgressEvents.of(id, mortal.port(), lastId)) {
        done = until(events, 200, done);
        lastId = events.lastId();
        mortal.kill();
        assertThatThrownBy(() -> until(events, 300, 200)).isInstanceOf(IOException.class);
      }
      report(client, hold(client, "row25", "child", 100));
      report(client, hold(client, "row25", "merge", 1));
      try (ProgressEvents events = ProgressEvents.of(id, other.port(), lastId)) {
        JobProgress end = events.next();
        while (!events.hasEnded()) {
          end = events.next();
        }
        assertThat(end.state()).isEqualTo(JobState.SUCCESS);
        assertThat(end.done()).isEqualTo(300).isGreaterThanOrEqualTo(done);
        assertThat(events.next()).isNull();
        lastId = events.lastId();
      }
      mortal.start();
      mortal.awaitReady();
      try (ProgressEvents events = ProgressEvents.of(id, mortal.port(), lastId)) {
        assertThat(events.status()).as("who has seen the end").isEqualTo(204);
      }
      assertEndedOnce(scenario, client.jobs().getJob(id), 300);
      Figures.print(
          "row 25: progress stream cut, resumed on another server, which was killed, and resumed on"
              + " the first: nothing went back, and the end was seen");
    }
  }

  /** Redis carries news of jobs and nothing else, so progress may be late without it, not wrong. */
  @Test
  void row10_redisEmptiedWhileAJobRunsCostsNoProgress() throws Exception {
    int total = 3_000;
    try (Scenario scenario = Scenario.of(cluster, "row10_job", patient())) {
      FlowClient client = mortal.client();
      String id = split(other.client(), "row10_job", total);
      RedisStatistics redisServer = new RedisStatistics(cluster.redis());
      AtomicReference<JobProgress> seen = new AtomicReference<>();
      List<Integer> seenDone = new ArrayList<>();
      try (ProgressEvents events = ProgressEvents.of(id, other.port(), null)) {
        final CompletableFuture<Void> listening =
            CompletableFuture.runAsync(() -> listen(events, seen, seenDone), OtherThread::start);
        Duration worst = Duration.ZERO;
        for (int done = 100; done <= total; done += 100) {
          report(client, hold(client, "row10_job", "child", 100));
          if (done % 500 == 0) {
            redisServer.flushAll();
            int reported = done;
            Stopwatch watch = Stopwatch.start();
            await()
                .atMost(PATIENCE)
                .until(() -> seen.get() != null && seen.get().done() >= reported);
            worst = worst.compareTo(watch.elapsed()) > 0 ? worst : watch.elapsed();
          }
        }
        List<Task> merge = hold(client, "row10_job", "merge", 10);
        assertThat(merge).hasSize(1);
        report(client, merge);
        listening.join();
        assertThat(seen.get().state()).isEqualTo(JobState.SUCCESS);
        assertThat(seen.get().done()).isEqualTo(total);
        assertThat(seenDone).isSorted().allMatch(done -> done <= total);
        assertEndedOnce(scenario, client.jobs().getJob(id), total);
        Figures.print(
            "row 10: Redis emptied six times while a job of %d children ran: progress on another"
                + " server right after %d ms at worst (target 10 s), merged once",
            total, ms(worst));
      }
    }
  }

  private static void listen(
      ProgressEvents events, AtomicReference<JobProgress> seen, List<Integer> seenDone) {
    try {
      for (JobProgress next = events.next(); next != null; next = events.next()) {
        seen.set(next);
        seenDone.add(next.done());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads on until so many are done; a stream that goes back is wrong. */
  private static int until(ProgressEvents events, int wanted, int before) throws IOException {
    int done = before;
    while (done < wanted) {
      JobProgress next = events.next();
      if (next == null) {
        throw new IOException("the stream has ended at " + done);
      }
      assertThat(next.done()).isGreaterThanOrEqualTo(done);
      done = next.done();
    }
    return done;
  }

  /** A job that has been split, all of its children tasks. */
  private static String split(FlowClient client, String type, int children) {
    String id = client.jobs().createJob(NewJob.of(type, "ann", "text"));
    Task split = hold(client, type, "split", 1).get(0);
    for (int first = 0; first < children; first += PAGE) {
      List<JobChild> page =
          IntStream.range(first, Math.min(first + PAGE, children))
              .mapToObj(i -> new JobChild("child", "" + i, null))
              .toList();
      client
          .jobs()
          .addJobChildren(new JobChildren(split.taskId(), WORKER, split.leaseEpoch(), first, page));
    }
    report(client, List.of(split));
    return id;
  }

  /** Waits for tasks of a stage, and holds so many, or one where it says 10 at most. */
  private static List<Task> hold(FlowClient client, String type, String stage, int limit) {
    List<Task> held = new ArrayList<>();
    await(stage + " of " + type + " is due")
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .until(
            () -> {
              held.addAll(
                  client.holdTasks(
                      new HoldRequest(
                          type, limit - held.size(), WORKER, 5_000, null, List.of(stage))));
              return held.size() == limit || stage.equals("merge") && !held.isEmpty();
            });
    return held;
  }

  private static void report(FlowClient client, List<Task> tasks) {
    List<Report> reports = tasks.stream().map(task -> Reports.success(task, null)).toList();
    assertThat(client.report(reports)).allMatch(ReportResult::stands);
  }

  /** Each child was a task once and done once, and so was the merge. */
  private static void assertEndedOnce(Scenario scenario, Job job, int children) {
    assertThat(job.state()).isEqualTo(JobState.SUCCESS);
    assertThat(job.total()).isEqualTo(children);
    assertThat(job.done()).isEqualTo(children);
    assertThat(scenario.count("job_index >= 0 AND status = 4")).isEqualTo(children);
    assertThat(scenario.count("job_index >= 0")).isEqualTo(children);
    assertThat(scenario.count("job_index = -2")).as("merges").isEqualTo(1);
  }
}
