package io.asyncflow.systemtest.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.JobChild;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskFollower;
import io.asyncflow.api.TaskPageRequest;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.api.TaskTypeSettings;
import io.asyncflow.api.codec.CodecException;
import io.asyncflow.api.codec.SealingFlowClient;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.seal.SealKeys;
import io.asyncflow.seal.TinkCodec;
import io.asyncflow.worker.JobMerger;
import io.asyncflow.worker.JobSplitter;
import io.asyncflow.worker.MergeContext;
import io.asyncflow.worker.SplitContext;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.Worker;
import io.asyncflow.worker.engine.EngineHandler;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A server process that everything goes through, and of which nothing plain is left anywhere: in no
 * table, log, store, spool, archive, nor in its memory.
 */
@Tag("faults")
class CodecIT {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Of everything that is sealed, and of nothing else. */
  private static final String SECRET = "iban-DE02120300000000202051";

  /** Of a task that is not sealed: else this test would look in the wrong places. */
  private static final String OPEN = "no-secret-at-all-4711";

  private static final String LARGE = (SECRET + " ").repeat(1_000);

  /** Returns the context that it got. */
  private static final String ENGINE =
      """
      read -r hello
      echo '{"type":"ready","protocol":1,"engine":"echo"}'
      while read -r run; do
        id=${run#*'"id":"'}
        id=${id%%'"'*}
        context=${run#*'"context":"'}
        context=${context%%'"'*}
        echo "{\\"type\\":\\"result\\",\\"id\\":\\"$id\\",\\"result\\":\\"engine got $context\\"}"
      done
      """;

  private static Cluster cluster;
  private static ServerNode server;

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.startWithoutRedis("codec");
    server =
        cluster.startServer(
            plan ->
                plan.withHeap("192m")
                    .withAll(
                        Map.of(
                            "FLOW_STORE_DIR",
                            cluster.directory().resolve("store").toString(),
                            "FLOW_ARCHIVE_DIR",
                            archives().toString(),
                            "FLOW_GOVERNANCE_CLEANING_INTERVAL",
                            "1s")));
  }

  private static Path archives() {
    return cluster.directory().resolve("archive");
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  private static final class Lines implements JobSplitter, JobMerger {

    @Override
    public Stream<JobChild> split(SplitContext job) throws IOException {
      return job.inputText().lines().map(line -> job.child("one", line));
    }

    @Override
    public StageResult merge(MergeContext job) {
      List<String> results = job.children().map(child -> child.rawResult()).toList();
      return StageResult.done(String.join("\n", results));
    }
  }

  @Test
  void noPlainTextIsLeftInAnyTableLogFileOrArchive() throws Exception {
    Path keys = cluster.directory().resolve("keys.json");
    SealKeys.generate().create(keys);
    TinkCodec codec = new TinkCodec(SealKeys.read(keys));
    FlowClient flow = new SealingFlowClient(server.client(), codec);
    flow.saveTaskType(TaskTypeSettings.named("sealed").withSealed(1).withEvents(2));
    flow.saveTaskType(TaskTypeSettings.named("other").withSealed(1));
    flow.saveTaskType(TaskTypeSettings.named("plain"));
    EngineHandler engine = EngineHandler.builder("sh", "-c", ENGINE).name("echo").build();
    String open;
    Worker worker =
        Worker.builder()
            .url(server.url().toString())
            .codec(codec)
            .spoolDir(cluster.directory().resolve("spool"))
            .stopsWithTheJvm(false)
            .handler("sealed", "large", c -> StageResult.next("one", LARGE))
            .handler(
                "sealed",
                "one",
                c -> {
                  byte[] object = c.rawContext().getBytes(StandardCharsets.UTF_8);
                  c.store("object", new ByteArrayInputStream(object));
                  return StageResult.done(c.rawContext())
                      .andCreate(NewTask.of("sealed", "end", c.userId(), SECRET));
                })
            .handler("sealed", "end", c -> StageResult.done())
            .slotHandler("sealed", "engine", engine)
            .splitter("sealed", new Lines())
            .merger("sealed", new Lines())
            .build();
    worker.start();
    try {
      open = server.client().createTask(NewTask.of("plain", "one", "ann", OPEN));
      List<String> tasks =
          flow.createTasks(
              List.of(
                  NewTask.of("sealed", "one", "ann", SECRET),
                  NewTask.of("sealed", "large", "ann", SECRET),
                  NewTask.of("sealed", "one", "ann", SECRET).withIdempotencyKey("order-7")));
      String forEngine = flow.createTask(NewTask.of("sealed", "engine", "ann", SECRET));
      String job = flow.jobs().createJob(NewJob.of("sealed", "ann", SECRET + "\n" + LARGE));
      NewSchedule schedule =
          NewSchedule.every("sealed", Duration.ofDays(365)) // none but the one triggered
              .creating(NewTask.of("sealed", "one", "ann", SECRET));
      flow.schedules().trigger(flow.schedules().save(schedule).scheduleId(), null);

      for (String task : tasks) {
        assertThat(new TaskFollower(flow).follow(task, PATIENCE).taskStatus())
            .isEqualTo(TaskStatus.SUCCESS);
      }
      assertThat(new TaskFollower(flow).follow(forEngine, PATIENCE).result())
          .isEqualTo("engine got " + SECRET);
      await().atMost(PATIENCE).until(() -> flow.jobs().getJob(job).state() == JobState.SUCCESS);
      assertThat(flow.store().textOf(flow.jobs().getJob(job).result()))
          .isEqualTo(SECRET + "\n" + LARGE);
      await().atMost(PATIENCE).until(() -> isQuiet(flow));
      assertThat(flow.getTask(open).taskContext()).isEqualTo(OPEN);

      FlowClient elsewhere =
          new SealingFlowClient(server.client(), new TinkCodec(SealKeys.read(keys)));
      NewTask repeated = NewTask.of("sealed", "one", "ann", SECRET).withIdempotencyKey("order-7");
      assertThat(elsewhere.createTask(repeated))
          .as("created again by another process")
          .isEqualTo(tasks.get(2));
      FlowClient rotated =
          new SealingFlowClient(server.client(), new TinkCodec(SealKeys.read(keys).rotated()));
      assertThat(rotated.getTask(tasks.get(0)).result()).isEqualTo(SECRET);
      String sealed = server.client().getTask(tasks.get(0)).taskContext();
      String moved = server.client().createTask(NewTask.of("other", "one", "ann", sealed));
      assertThatThrownBy(() -> flow.getTask(moved))
          .as("moved to another type")
          .isInstanceOf(CodecException.class);
      assertThat(memoryHas(SECRET, open)).isFalse();
    } finally {
      worker.close();
      engine.close();
    }

    assertThat(tablesWith(OPEN)).containsExactly("t_plain_task_1");
    assertThat(tablesWith(SECRET)).isEmpty();
    assertThat(filesWith("engine got ")).as("results are sealed, too").isEmpty();
    assertThat(filesWith(SECRET)).isEmpty();
    assertThat(filesWith("$sealed")).as("objects in the store").isNotEmpty();

    server.client().cancelTask(open);
    assertThat(archiveOf("plain")).contains(OPEN);
    assertThat(archiveOf("sealed")).contains("$sealed").doesNotContain(SECRET, "engine got ");
    assertThat(filesWith(SECRET)).isEmpty();
  }

  /** The tasks of a type as its first table's archive contains them. */
  private static String archiveOf(String type) throws IOException {
    String table = "t_" + type + "_task_1";
    server.post("/api/task_schedule_cfg/roll?taskType=" + type);
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                server
                    .post("/api/task_schedule_cfg/clean?taskType=" + type + "&table=" + table)
                    .contains("\"code\":0"));
    Path archive = archives().resolve(table + ".jsonl.gz");
    await().atMost(PATIENCE).until(() -> Files.exists(archive));
    try (InputStream lines = new GZIPInputStream(Files.newInputStream(archive))) {
      return new String(lines.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /**
   * Whether a text is anywhere in the server's heap, also among what nothing needs any more.
   *
   * @param open a task that the server has shown before it is looked for
   */
  private static boolean memoryHas(String text, String open) throws Exception {
    Path dump = cluster.directory().resolve("heap.hprof");
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              Files.deleteIfExists(dump);
              server.client().getTask(open);
              dumpHeap(dump);
              return has(dump, OPEN); // else a collection came between
            });
    boolean found = has(dump, text);
    Files.delete(dump);
    return found;
  }

  private static void dumpHeap(Path file) throws Exception {
    Process dumping =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(server.pid()),
                "GC.heap_dump",
                "-all",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(dumping.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(dumping.waitFor()).as(said).isZero();
  }

  /** In one byte a character, or in two. */
  private static boolean has(Path large, String text) throws IOException {
    List<byte[]> forms =
        List.of(
            text.getBytes(StandardCharsets.ISO_8859_1),
            text.getBytes(StandardCharsets.UTF_16LE),
            text.getBytes(StandardCharsets.UTF_16BE));
    int longest = 2 * text.length();
    byte[] buffer = new byte[1 << 20];
    int kept = 0;
    try (InputStream in = Files.newInputStream(large)) {
      for (int read; (read = in.read(buffer, kept, buffer.length - kept)) > 0; ) {
        int filled = kept + read;
        String window = new String(buffer, 0, filled, StandardCharsets.ISO_8859_1);
        if (forms.stream()
            .anyMatch(form -> window.contains(new String(form, StandardCharsets.ISO_8859_1)))) {
          return true;
        }
        kept = Math.min(longest, filled);
        System.arraycopy(buffer, filled - kept, buffer, 0, kept);
      }
    }
    return false;
  }

  private static boolean isQuiet(FlowClient flow) {
    return flow.getTaskList("sealed", TaskPageRequest.of()).taskList().stream()
        .allMatch(task -> task.taskStatus().isFinal());
  }

  private static List<String> tablesWith(String text) throws SQLException {
    List<String> found = new ArrayList<>();
    try (Connection connection = cluster.connect();
        Statement statement = connection.createStatement()) {
      List<String> tables = new ArrayList<>();
      try (ResultSet names = statement.executeQuery("SHOW TABLES")) {
        while (names.next()) {
          tables.add(names.getString(1));
        }
      }
      for (String table : tables) {
        if (hasRowWith(text, table, statement)) {
          found.add(table);
        }
      }
    }
    return found;
  }

  private static boolean hasRowWith(String text, String table, Statement statement)
      throws SQLException {
    try (ResultSet rows = statement.executeQuery("SELECT * FROM " + table)) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        for (int i = 1; i <= columns; i++) {
          byte[] value = rows.getBytes(i);
          if (value != null && contains(value, text)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** Of the server, the store, the spool and the database, logs of its changes included. */
  private static List<Path> filesWith(String text) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        cluster.directory(),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            try {
              if (attributes.isRegularFile() && contains(Files.readAllBytes(file), text)) {
                found.add(file);
              }
              return FileVisitResult.CONTINUE;
            } catch (NoSuchFileException e) {
              return visitFileFailed(file, e);
            }
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) { // deleted meanwhile: a table that was dropped
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }
        });
    return found;
  }

  private static boolean contains(byte[] bytes, String text) {
    return new String(bytes, StandardCharsets.ISO_8859_1).contains(text);
  }
}
