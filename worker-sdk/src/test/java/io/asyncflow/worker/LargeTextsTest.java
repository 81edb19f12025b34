package io.asyncflow.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.Job;
import io.asyncflow.api.JobState;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.StoredText;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.fake.FakeFlowServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Contexts and results that no row takes go by way of the store, unseen by handlers. */
class LargeTextsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** One byte more than a row takes, though it has fewer characters. */
  private static final String LARGE = "ü".repeat(2_048) + "x";

  private static final String LARGEST_OF_A_ROW = "ü".repeat(2_048);

  record Chapter(String text, List<String> pieces) {}

  private final FakeFlowServer server =
      new FakeFlowServer()
          .withType("book", Duration.ofSeconds(30), Duration.ofSeconds(60), Duration.ofSeconds(60));
  private Worker worker;

  private void start(Worker.Builder builder) {
    worker = builder.client(server).stopsWithTheJvm(false).build();
    worker.start();
  }

  @AfterEach
  void stop() {
    if (worker != null) {
      worker.stop(Duration.ZERO);
    }
  }

  private Task awaitEnd(String taskId) throws InterruptedException {
    assertThat(server.awaitStatus(taskId, TaskStatus.SUCCESS, PATIENCE)).isTrue();
    return server.getTask(taskId);
  }

  @Test
  void largeContextAndResultAreReadAsIfTheyWereInTheTask() throws Exception {
    Chapter chapter = new Chapter(LARGE, List.of("a", "b"));
    start(
        Worker.builder()
            .handler("book", "read", c -> StageResult.next("sing", chapter))
            .handler(
                "book",
                "sing",
                c -> StageResult.done(c.context(Chapter.class).text() + c.stage())));
    Task task = awaitEnd(server.createTask(NewTask.of("book", "read", "ann", "")));

    StoredText context = StoredText.parse(task.taskContext()).orElseThrow();
    StoredText result = StoredText.parse(task.result()).orElseThrow();
    assertThat(context.key()).hasToString(task.taskId() + "/read/1/_context");
    assertThat(result.key()).hasToString(task.taskId() + "/sing/2/_result");
    assertThat(result.bytes()).isEqualTo(4_097 + 4);
    assertThat(server.store().textOf(task.result())).isEqualTo(LARGE + "sing");
  }

  @Test
  void whatARowTakesStaysInIt() throws Exception {
    start(
        Worker.builder()
            .handler("book", "read", c -> StageResult.next("sing", LARGEST_OF_A_ROW))
            .handler("book", "sing", c -> StageResult.done(c.rawContext())));
    Task task = awaitEnd(server.createTask(NewTask.of("book", "read", "ann", "")));

    assertThat(task.result()).isEqualTo(LARGEST_OF_A_ROW);
    assertThat(server.objects().references()).isEmpty();
  }

  @Test
  void childrenOfAJobMayHaveLargeContextsAndResults() {
    start(
        Worker.builder()
            .splitter(
                "book", job -> IntStream.range(0, 3).mapToObj(i -> job.child("sing", i + LARGE)))
            .handler(
                "book", "sing", c -> StageResult.done(c.rawContext().replace(LARGE, "") + LARGE))
            .merger(
                "book",
                job ->
                    StageResult.done(
                        job.children()
                                .map(child -> child.rawResult().substring(0, 1))
                                .collect(Collectors.joining())
                            + LARGE)));
    String id = server.jobs().createJob(NewJob.of("book", "ann", ""));
    await().atMost(PATIENCE).until(() -> server.jobs().getJob(id).state().isFinal());

    Job job = server.jobs().getJob(id);
    assertThat(job.state()).isEqualTo(JobState.SUCCESS);
    assertThat(server.store().textOf(job.result())).isEqualTo("012" + LARGE);
    assertThat(server.objects().references()).hasSize(3 + 3 + 1);
  }

  @Test
  void tooLargeForTheStoreFailsTheTaskAndSaysWhatToDo() throws Exception {
    String tooLarge = "x".repeat(StoredText.MOST_BYTES + 1);
    start(Worker.builder().handler("book", "sing", c -> StageResult.done(tooLarge)));
    String id = server.createTask(NewTask.of("book", "sing", "ann", ""));

    assertThat(server.awaitStatus(id, TaskStatus.FAILED, PATIENCE)).isTrue();
    assertThat(server.getTask(id).scheduleLog()).contains("16777217 bytes", "StageContext.store");
  }

  @Test
  void contextThatIsGoneFailsTheTaskWithItsName() throws Exception {
    start(
        Worker.builder()
            .handler("book", "read", c -> StageResult.next("sing", LARGE))
            .handler(
                "book",
                "sing",
                c -> {
                  server.objects().references().forEach(server.objects()::remove);
                  return StageResult.done(c.rawContext());
                }));
    String id = server.createTask(NewTask.of("book", "read", "ann", ""));

    assertThat(server.awaitStatus(id, TaskStatus.FAILED, PATIENCE)).isTrue();
    assertThat(server.getTask(id).scheduleLog()).contains(id + "/read/1/_context");
  }
}
