package io.asyncflow.worker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.Outcome;
import io.asyncflow.api.Report;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.worker.Worker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole worker whose stage is run by processes that are killed, hang and lack memory. */
@Timeout(180)
class EngineWorkerTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path directory;
  private FakeFlowServer server;
  private ScriptedEngine scripted;
  private EngineHandler engine;
  private Worker worker;

  private void start(Duration maxProcessingTime) {
    server =
        new FakeFlowServer()
            .withType("tts", Duration.ofSeconds(30), maxProcessingTime, maxProcessingTime);
    scripted = new ScriptedEngine(directory);
    engine = scripted.builder().build();
    worker =
        Worker.builder()
            .client(server)
            .stopsWithTheJvm(false)
            .slots("cpu", 1)
            .handler("tts", "speak", engine, true)
            .build();
    worker.start();
  }

  private String create(String context) {
    return server.createTask(NewTask.of("tts", "speak", "me", context));
  }

  private String once(String word) {
    return create(word + ":" + directory.resolve(word));
  }

  private void awaitSuccess(String taskId) throws InterruptedException {
    assertThat(server.awaitStatus(taskId, TaskStatus.SUCCESS, PATIENCE)).isTrue();
  }

  private List<Outcome> outcomesOf(String taskId) {
    return server.accepted().stream()
        .filter(report -> report.taskId().equals(taskId))
        .map(Report::outcome)
        .toList();
  }

  @AfterEach
  void stop() {
    worker.close();
    engine.close();
  }

  @Test
  void aTaskWhoseEngineIsKilledOrLacksMemoryGoesOnAndNoAttemptIsCounted() throws Exception {
    start(Duration.ofSeconds(60));
    String killed = once("DIE");
    awaitSuccess(killed);
    assertThat(outcomesOf(killed)).containsExactly(Outcome.SNOOZE, Outcome.SUCCESS);
    String tooLarge = once("MEMORY");
    awaitSuccess(tooLarge);
    assertThat(outcomesOf(tooLarge)).containsExactly(Outcome.SNOOZE, Outcome.SUCCESS);
    assertThat(server.getTask(tooLarge).crtRetryNum()).isZero();
  }

  @Test
  void aTaskThatNeverFindsEnoughMemoryEndsAtLast() throws Exception {
    start(Duration.ofSeconds(60));
    String tooLarge =
        server.createTask(NewTask.of("tts", "speak", "me", "MEMORY").withMaxRetryNum(0));
    assertThat(server.awaitStatus(tooLarge, TaskStatus.FAILED, PATIENCE)).isTrue();
    assertThat(outcomesOf(tooLarge)).containsExactly(Outcome.SNOOZE, Outcome.SNOOZE, Outcome.RETRY);
  }

  @Test
  void aTaskWhoseEngineHangsTimesOutAndGoesOn() throws Exception {
    start(Duration.ofSeconds(10));
    String hanging = once("HANG");
    ProcessHandle child = scripted.awaitHanging();
    awaitSuccess(hanging);
    assertThat(outcomesOf(hanging)).startsWith(Outcome.RETRY).endsWith(Outcome.SUCCESS);
    await().atMost(PATIENCE).until(() -> ScriptedEngine.hasEnded(child));
  }

  @Test
  void aCancelledTaskEndsItsEngineAndTheSlotIsFree() throws Exception {
    start(Duration.ofSeconds(20));
    String hanging = create("HANG");
    ProcessHandle child = scripted.awaitHanging();
    server.cancelTask(hanging);
    String next = create("PID");
    awaitSuccess(next);
    await().atMost(PATIENCE).until(() -> ScriptedEngine.hasEnded(child));
    assertThat(outcomesOf(hanging)).isEmpty();
  }
}
