package io.asyncflow.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.asyncflow.api.NewTask;
import io.asyncflow.api.schedule.NewSchedule;
import io.asyncflow.worker.StubHttpServer.Seen;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkerOverHttpTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  @Test
  void aStopCutsAHoldParkedOverHttpAndAsksWhatItHadGot() throws Exception {
    try (StubHttpServer server = new StubHttpServer()) {
      Worker worker =
          Worker.builder()
              .url(server.url())
              .apiKey("secret")
              .handler("lark", "one", context -> StageResult.done())
              .build();
      worker.start();
      await().atMost(PATIENCE).until(() -> !server.seen("hold_task").isEmpty());

      long start = System.nanoTime();
      assertThat(worker.stop(PATIENCE)).isTrue();
      assertThat(Duration.ofNanos(System.nanoTime() - start))
          .isLessThan(Duration.ofSeconds(5)); // of ten

      List<Seen> holds = server.seen("hold_task");
      assertThat(holds).hasSize(2);
      assertThat(Integer.parseInt(holds.get(0).field("waitMs"))).isBetween(9_000, 10_000);
      assertThat(holds.get(1).field("waitMs")).isEqualTo("0");
      assertThat(holds.get(1).field("holdId")).isEqualTo(holds.get(0).field("holdId"));
      assertThat(holds).extracting(Seen::authorization).containsOnly("Bearer secret");
    }
  }

  @Test
  void schedulesAreSavedWhilePollingGoesOn() throws Exception {
    try (StubHttpServer server = new StubHttpServer();
        Worker worker =
            Worker.builder()
                .url(server.url())
                .handler("lark", "one", context -> StageResult.done())
                .schedule(
                    NewSchedule.every("probe", Duration.ofSeconds(30))
                        .creating(NewTask.of("lark", "one", "me", "{}")))
                .build()) {
      worker.start();
      await().atMost(PATIENCE).until(() -> !server.seen("saveAll").isEmpty());
      assertThat(server.seen("saveAll"))
          .extracting(Seen::body)
          .containsExactly(
              "{\"scheduleDataList\":[{\"name\":\"probe\",\"everyMs\":30000,\"taskData\":{"
                  + "\"userId\":\"me\",\"taskType\":\"lark\",\"taskStage\":\"one\","
                  + "\"taskContext\":\"{}\"}}]}");
    }
  }

  @Test
  void aServerThatIsNotThereIsNoReasonNotToStop() {
    Worker worker =
        Worker.builder()
            .url("http://127.0.0.1:1")
            .handler("lark", "one", context -> StageResult.done())
            .build();
    worker.start();
    assertThat(worker.stop(PATIENCE)).isTrue();
  }
}
