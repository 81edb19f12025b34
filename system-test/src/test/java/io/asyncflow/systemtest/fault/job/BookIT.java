package io.asyncflow.systemtest.fault.job;

import static io.asyncflow.systemtest.measure.Figures.seconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.EventStream;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.HttpFlowClient;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobEvent;
import io.asyncflow.api.JobFollower;
import io.asyncflow.api.JobProgress;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.example.tts.BookWorker;
import io.asyncflow.systemtest.cluster.Cluster;
import io.asyncflow.systemtest.cluster.Node;
import io.asyncflow.systemtest.cluster.ServerNode;
import io.asyncflow.systemtest.cluster.WorkerNode;
import io.asyncflow.systemtest.measure.Figures;
import io.asyncflow.systemtest.measure.Stopwatch;
import io.asyncflow.systemtest.wire.TcpProxy;
import java.io.BufferedInputStream;
import java.io.InputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ShortBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A long text as one job, on processes that die. The number is a row of the matrix.
 *
 * <pre>
 *   follower ── wire, cut twice ──┐              after the second cut to server B
 *   worker 1, worker 2 ───────── server A      all of these are killed in turn
 *   worker 3 ─────────────────── server B      the test itself looks here
 * </pre>
 *
 * <p>The long forms: {@code -Dasyncflow.test.paragraphs=10000}, and {@code
 * -Dasyncflow.test.engine=freetts} for a voice instead of tones.
 */
@Tag("faults")
@Timeout(3600)
class BookIT {

  private static final int PARAGRAPHS = Integer.getInteger("asyncflow.test.paragraphs", 2_000);
  private static final String ENGINE = System.getProperty("asyncflow.test.engine", "tone");
  private static final int KILLS = 8;
  private static final int PAGE = 1_000;
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofMinutes(ENGINE.equals("tone") ? 10 : 50);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** What {@code tts} says of a paragraph, and of a book. */
  private record Piece(String sound, int paragraph, long frames) {}

  private record Book(String wav, double seconds, int paragraphs) {}

  /** A stretch of one value, with silence as 0. */
  private record Tone(int value, int frames) {}

  private final List<JobProgress> told = new CopyOnWriteArrayList<>();
  private Cluster cluster;
  private ServerNode mortal;
  private ServerNode other;
  private List<WorkerNode> workers;
  private FlowClient client;

  @Test
  void row25_aBookIsSpokenOnceAndInOrderWhileWorkersAndAServerDie() throws Exception {
    Stopwatch watch = Stopwatch.start();
    try (Cluster running = Cluster.startWithoutRedis("book")) {
      cluster = running;
      startProcesses();
      try (TcpProxy wire = TcpProxy.to(mortal.port())) {
        String jobId = client.jobs().createJob(NewJob.of("tts", "ann", text()));
        CompletableFuture<JobProgress> end = follow(jobId, wire);
        int kills = killInTurn(jobId, wire);
        await().atMost(PATIENCE).until(end::isDone);

        assertThat(end.join().state()).isEqualTo(JobState.SUCCESS);
        Job job = client.jobs().getJob(jobId);
        assertEndIsToldOnce(jobId);
        assertEveryParagraphIsDoneOnce(jobId);
        assertMergeIsCommittedOnce(job);
        Book book = JSON.readValue(job.result(), Book.class);
        assertThat(book.paragraphs()).isEqualTo(PARAGRAPHS);
        assertWholeAndInOrder(jobId, book);
        Figures.print(
            "row 25: %d paragraphs by %s in %.1f s with %d kills, %.0f s of sound",
            PARAGRAPHS, ENGINE, seconds(watch.elapsed()), kills, book.seconds());
      }
    }
  }

  private void startProcesses() {
    // One store for both servers, which is deleted with the cluster.
    String store = cluster.directory().resolve("tmp").resolve("store").toString();
    mortal = cluster.launchServer(plan -> plan.withAll(Map.of("FLOW_STORE_DIR", store)));
    other = cluster.launchServer(plan -> plan.withAll(Map.of("FLOW_STORE_DIR", store)));
    mortal.awaitReady();
    other.awaitReady();
    client = other.client();
    client.saveTaskType(tts());
    workers = List.of(launchWorker(1, mortal), launchWorker(2, mortal), launchWorker(3, other));
    workers.forEach(WorkerNode::awaitReady);
  }

  private WorkerNode launchWorker(int number, ServerNode server) {
    return cluster.launchWorker(
        "worker-" + number,
        BookWorker.class,
        BookWorker.READY,
        server.url().toString(),
        cluster.directory().resolve("spool").toString(),
        ENGINE);
  }

  /** Broken reads are tried again after a second each time, more often than anybody is killed. */
  private static TaskTypeSettings tts() {
    int lease = (int) LEASE.toSeconds();
    return TaskTypeSettings.named("tts")
        .withScheduleLimit(10)
        .withScheduleInterval(10)
        .withMaxProcessingTime(600)
        .withMaxRetryNum(2 * KILLS)
        .withRetryInterval(-1)
        .withLeaseSeconds(lease)
        .withMaxDelivery(2 * KILLS);
  }

  /** Of many lengths, so that a paragraph in the place of another is heard. */
  private static String text() {
    return String.join(
        "\n\n", IntStream.rangeClosed(1, PARAGRAPHS).mapToObj(BookIT::text).toList());
  }

  private static String text(int paragraph) {
    return paragraph + " " + "fish ".repeat(1 + paragraph % 3).strip() + ".";
  }

  private CompletableFuture<JobProgress> follow(String jobId, TcpProxy wire) {
    FlowClient throughTheWire =
        new HttpFlowClient(URI.create("http://127.0.0.1:" + wire.port()), null);
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return new JobFollower(throughTheWire.jobs(), PATIENCE).follow(jobId, told::add);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        },
        OtherThread::start);
  }

  /** By how far the job is and not by time, so that it is the same on any machine. */
  private int killInTurn(String jobId, TcpProxy wire) {
    List<Node> victims = List.of(workers.get(0), mortal, workers.get(1), workers.get(2));
    int kills = 0;
    while (kills < KILLS && awaitDone(jobId, PARAGRAPHS * (kills + 1) / (KILLS + 1))) {
      Node victim = victims.get(kills % victims.size());
      victim.kill();
      victim.start();
      kills++;
      if (kills == 3) {
        wire.resetAll();
      } else if (kills == 6) {
        wire.redirect(other.port());
        wire.resetAll();
      }
    }
    await()
        .atMost(PATIENCE)
        .until(() -> client.jobs().getJob(jobId).state(), state -> state != JobState.RUNNING);
    for (WorkerNode worker : workers) {
      worker.kill(); // whoever merges is among them
      worker.start();
      kills++;
    }
    return kills;
  }

  /** Whether the job has come so far and runs on. */
  private boolean awaitDone(String jobId, int done) {
    Job job =
        await()
            .atMost(PATIENCE)
            .pollInterval(Duration.ofMillis(20))
            .until(
                () -> client.jobs().getJob(jobId),
                now ->
                    now.done() >= done || now.state() != JobState.RUNNING && now.total() != null);
    return job.state() == JobState.RUNNING;
  }

  private void assertEndIsToldOnce(String jobId) throws InterruptedException {
    assertThat(told).filteredOn(progress -> progress.state().isFinal()).hasSize(1);
    assertThat(told).last().extracting(JobProgress::done).isEqualTo(PARAGRAPHS);
    assertThat(told).extracting(JobProgress::done).isSorted();
    try (EventStream<JobEvent> events = client.jobs().openJobProgress(jobId, null)) {
      var end = events.next();
      assertThat(end.isEnd()).isTrue();
      assertThat(events.next()).isNull();
      try (EventStream<JobEvent> seen = client.jobs().openJobProgress(jobId, end.id())) {
        assertThat(seen.next()).isNull();
      }
    }
  }

  private void assertEveryParagraphIsDoneOnce(String jobId) throws Exception {
    assertThat(children(jobId))
        .hasSize(PARAGRAPHS)
        .allMatch(child -> child.status() == TaskStatus.SUCCESS.code())
        .extracting(JobTask::taskId)
        .doesNotHaveDuplicates();
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement();
        ResultSet tasks =
            statement.executeQuery("SELECT COUNT(*) FROM t_tts_task_1 WHERE job_id = " + jobId)) {
      tasks.next();
      assertThat(tasks.getInt(1)).as("with the split and the merge").isEqualTo(PARAGRAPHS + 2);
    }
  }

  private List<JobTask> children(String jobId) {
    List<JobTask> children = new ArrayList<>();
    String cursor = null;
    do {
      JobTaskPage page = client.jobs().getJobTasks(jobId, PAGE, cursor);
      children.addAll(page.taskList());
      cursor = page.nextCursor();
    } while (cursor != null);
    return children;
  }

  private void assertMergeIsCommittedOnce(Job job) {
    Task merge = client.getTask(job.mergeTaskId());
    assertThat(merge.taskStatus()).isEqualTo(TaskStatus.SUCCESS);
    assertThat(merge.result()).isEqualTo(job.result());
    JsonNode log = JSON.readTree(merge.scheduleLog());
    Stream<JsonNode> holds =
        Stream.concat(log.path("historyDatas").valueStream(), Stream.of(log.path("lastData")));
    assertThat(holds.map(hold -> hold.path("outcome").asString()).filter("SUCCESS"::equals))
        .hasSize(1);
  }

  /** By marks where they are tones, by lengths where it is a voice. */
  private void assertWholeAndInOrder(String jobId, Book book) throws Exception {
    List<Piece> pieces =
        children(jobId).stream().map(child -> JSON.readValue(child.result(), Piece.class)).toList();
    assertThat(pieces)
        .extracting(Piece::paragraph)
        .containsExactlyElementsOf(IntStream.rangeClosed(1, PARAGRAPHS).boxed().toList());
    long spoken = pieces.stream().mapToLong(Piece::frames).sum();
    StoreKey key = StoreKey.ofReference(book.wav()).orElseThrow();
    try (InputStream stored = new BufferedInputStream(client.store().open(key));
        AudioInputStream audio = AudioSystem.getAudioInputStream(stored)) {
      long pauses = (PARAGRAPHS - 1L) * BookWorker.PAUSE_FRAMES;
      assertThat(audio.getFrameLength()).isEqualTo(spoken + pauses);
      ShortBuffer samples =
          ByteBuffer.wrap(audio.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN).asShortBuffer();
      assertThat(samples.remaining()).isEqualTo(audio.getFrameLength());
      if (ENGINE.equals("tone")) {
        assertThat(tonesIn(samples)).isEqualTo(expectedTones());
      } else {
        assertPausesLieBetween(pieces, samples);
      }
    }
  }

  private static List<Tone> tonesIn(ShortBuffer samples) {
    List<Tone> tones = new ArrayList<>();
    int start = 0;
    for (int i = 1; i <= samples.limit(); i++) {
      if (i == samples.limit() || samples.get(i) != samples.get(start)) {
        tones.add(new Tone(samples.get(start), i - start));
        start = i;
      }
    }
    return tones;
  }

  private static List<Tone> expectedTones() {
    return IntStream.rangeClosed(1, PARAGRAPHS)
        .boxed()
        .flatMap(
            paragraph ->
                Stream.of(
                    new Tone(0, BookWorker.PAUSE_FRAMES),
                    new Tone(paragraph, BookWorker.framesOf(text(paragraph)))))
        .skip(1)
        .toList();
  }

  private static void assertPausesLieBetween(List<Piece> pieces, ShortBuffer samples) {
    int at = 0;
    for (Piece piece : pieces) {
      int from = at;
      int to = Math.toIntExact(at + piece.frames());
      assertThat(IntStream.range(from, to).anyMatch(i -> samples.get(i) != 0))
          .as("paragraph %d is not silent", piece.paragraph())
          .isTrue();
      int pause = Math.min(to + BookWorker.PAUSE_FRAMES, samples.limit());
      assertThat(IntStream.range(to, pause).allMatch(i -> samples.get(i) == 0))
          .as("a pause follows paragraph %d", piece.paragraph())
          .isTrue();
      at = pause;
    }
  }
}
