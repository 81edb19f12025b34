package io.asyncflow.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.Task;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.fake.FakeStore;
import io.asyncflow.worker.testing.StageHarness;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one run stores another one reads, in a whole worker against a server in memory. */
class StoredObjectsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final FakeFlowServer server =
      new FakeFlowServer()
          .withType("book", Duration.ofSeconds(30), Duration.ofSeconds(60), Duration.ofSeconds(60));
  private Worker worker;
  @TempDir Path directory;

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

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }

  private static String read(StageContext context, String reference) throws IOException {
    try (InputStream in = context.open(reference)) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  @Test
  void nextStageReadsWhatThisOneHasStored() throws Exception {
    Path file = Files.writeString(directory.resolve("piece.wav"), "sound");
    start(
        Worker.builder()
            .handler(
                "book",
                "render",
                c ->
                    StageResult.next(
                        "join",
                        List.of(c.store("piece.wav", file), c.store("note", stream("text")))))
            .handler(
                "book",
                "join",
                c -> {
                  String[] references = c.context(String[].class);
                  return StageResult.done(read(c, references[0]) + read(c, references[1]));
                }));
    String id = server.createTask(NewTask.of("book", "render", "ann", ""));

    assertThat(awaitEnd(id).result()).isEqualTo("soundtext");
    assertThat(server.objects().references())
        .containsExactly("stored:" + id + "/render/1/note", "stored:" + id + "/render/1/piece.wav");
  }

  @Test
  void storingWaitsForAServerThatIsAway() throws Exception {
    CountDownLatch away = new CountDownLatch(1);
    start(
        Worker.builder()
            .handler(
                "book",
                "render",
                c -> {
                  server.setDown(true);
                  away.countDown();
                  return StageResult.done(c.store("late", stream("x")));
                }));
    String id = server.createTask(NewTask.of("book", "render", "ann", ""));
    away.await();
    server.setDown(false);

    assertThat(awaitEnd(id).result()).isEqualTo("stored:" + id + "/render/1/late");
  }

  @Test
  void lostAnswerToAnUploadIsAskedForAgain() throws Exception {
    start(
        Worker.builder()
            .handler(
                "book",
                "render",
                c -> {
                  server.swallowAnswers(1);
                  return StageResult.done(read(c, c.store("a", stream("x"))));
                }));
    String id = server.createTask(NewTask.of("book", "render", "ann", ""));

    assertThat(awaitEnd(id).result()).isEqualTo("x");
  }

  @Test
  void referenceToNothingFailsTheTaskForGood() throws Exception {
    start(Worker.builder().handler("book", "join", c -> StageResult.done(read(c, c.rawContext()))));
    for (String context : List.of("stored:1_book_task_1/render/1/gone", "https://example.com/a")) {
      String id = server.createTask(NewTask.of("book", "join", "ann", context));

      assertThat(server.awaitStatus(id, TaskStatus.FAILED, PATIENCE)).isTrue();
      assertThat(server.getTask(id).scheduleLog()).contains(context);
    }
  }

  @Test
  void harnessesThatShareAStoreReadEachOther() throws Exception {
    FakeStore store = new FakeStore();
    StageHarness render = StageHarness.run("render").withStore(store);
    String reference = render.store("piece", stream("sound"));
    StageHarness merge = StageHarness.run("merge").withStore(store);

    StageResult result =
        merge.merge(
            job ->
                StageResult.done(
                    job.children()
                        .map(ChildResult::rawResult)
                        .map(each -> readUnchecked(job, each))
                        .toList()),
            List.of(reference));

    assertThat(result).isEqualTo(StageResult.done(List.of("sound")));
    store.remove(reference);
    assertThatExceptionOfType(ObjectGoneException.class)
        .isThrownBy(() -> merge.open(reference))
        .matches(e -> e.reference().equals(reference));
  }

  private static String readUnchecked(StageContext context, String reference) {
    try {
      return read(context, reference);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void nameThatCannotBeOneIsRefused() {
    for (String name : List.of("", "..", "a/b", "_context", ".hidden")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> StageHarness.run("render").store(name, stream("x")));
    }
  }

  @Test
  void fileThatIsNotThereIsTheHandlersFault() {
    assertThatExceptionOfType(UncheckedIOException.class)
        .isThrownBy(() -> StageHarness.run("render").store("a", directory.resolve("none")));
  }
}
