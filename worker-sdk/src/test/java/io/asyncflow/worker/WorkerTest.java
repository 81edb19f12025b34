package io.asyncflow.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.worker.testing.FakeFlowServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A whole worker with all its threads, against a server in memory. */
class WorkerTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final FakeFlowServer server = new FakeFlowServer().withType("Lark");

  @Test
  void aTaskPassesThroughItsStages() throws Exception {
    try (Worker worker =
        Worker.builder()
            .client(server)
            .handler("lark", "one", c -> StageResult.next("two", c.rawContext() + "1"))
            .handler("lark", "two", c -> StageResult.done(c.rawContext() + "2"))
            .build()) {
      worker.start();

      String taskId = server.createTask(NewTask.of("lark", "one", "me", "0"));

      assertThat(server.awaitStatus(taskId, TaskStatus.SUCCESS, PATIENCE)).isTrue();
      assertThat(server.getTask(taskId).result()).isEqualTo("012");
    }
  }

  @Test
  void aSlotIsHandedToTheStagesThatWantOne() throws Exception {
    try (Worker worker =
        Worker.builder()
            .client(server)
            .slots("cuda:0", 2)
            .slotHandler("lark", "gpu", c -> StageResult.next("cpu", c.slot().get().device()))
            .handler("lark", "cpu", c -> StageResult.done(c.rawContext() + c.slot().isPresent()))
            .build()) {
      worker.start();

      String taskId = server.createTask(NewTask.of("lark", "gpu", "me", "0"));

      assertThat(server.awaitStatus(taskId, TaskStatus.SUCCESS, PATIENCE)).isTrue();
      assertThat(server.getTask(taskId).result()).isEqualTo("cuda:0false");
    }
  }
}
