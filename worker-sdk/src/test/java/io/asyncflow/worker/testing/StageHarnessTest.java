package io.asyncflow.worker.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.asyncflow.api.Copy;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StageHarnessTest {

  @Test
  void aHandlerIsRunOnce() throws Exception {
    StageHarness run =
        StageHarness.run("synthesize")
            .ofType("tts")
            .forUser("me")
            .withContext(Map.of("n", 3))
            .inAttempt(2)
            .inEpoch(5)
            .onSlot("cuda:0")
            .withRemaining(Duration.ofSeconds(9));
    StageResult result =
        run.with(
            c -> {
              assertThat(c.idempotencyKey()).isEqualTo("1_tts_task_1:synthesize:5");
              assertThat(c.slot()).contains(new Slot("cuda:0", 0));
              assertThat(c.attempt()).isEqualTo(2);
              assertThat(c.remaining()).isEqualTo(Duration.ofSeconds(9));
              c.progress(50);
              return StageResult.done(c.context(Map.class).get("n"));
            });
    assertThat(result).isEqualTo(StageResult.done(3));
    assertThat(run.progress()).containsExactly(50);
  }

  @Test
  void runIsOfNoScheduleUnlessItFired() throws Exception {
    Instant midnight = Instant.parse("2026-03-01T00:00:00Z");
    StageHandler shown =
        c ->
            StageResult.done(c.scheduleId().orElse("") + c.fireTime().map(t -> " " + t).orElse(""));
    assertThat(StageHarness.run("x").with(shown)).isEqualTo(StageResult.done(""));
    assertThat(StageHarness.run("x").firedAt(midnight).with(shown))
        .isEqualTo(StageResult.done("1 2026-03-01T00:00:00Z"));
  }

  @Test
  void scriptsAreObeyed() throws Exception {
    ScriptedHandler handler = new ScriptedHandler();
    assertThat(StageHarness.run("x").withContext("OK").with(handler)).isEqualTo(StageResult.done());
    assertThat(StageHarness.run("x").withContext("NEXT:y").with(handler))
        .isEqualTo(StageResult.next("y", "OK"));
    assertThat(StageHarness.run("x").withContext("SNOOZE").with(handler))
        .isInstanceOf(StageResult.Snooze.class);
    assertThat(StageHarness.run("x").withContext("FATAL").with(handler))
        .isInstanceOf(StageResult.Fail.class);
    assertThatIllegalStateException()
        .isThrownBy(() -> StageHarness.run("x").withContext("ERROR").with(handler));
    assertThat(handler.started()).hasSize(5);
  }

  @Test
  void runIsOfTheCopyThatItIsGiven() throws Exception {
    StageHandler shown = c -> StageResult.done(c.copy().orElse(null));
    assertThat(StageHarness.run("x").with(shown)).isEqualTo(StageResult.done(null));
    assertThat(StageHarness.run("x").asCopy(1, 3).with(shown))
        .isEqualTo(StageResult.done(new Copy(1, 3)));
  }

  @Test
  void nextStageIsForTheWorkersThatItNames() throws Exception {
    StageResult result =
        StageHarness.run("x").with(c -> StageResult.next("y", "").onWorkers("w1", "w2"));
    assertThat(((StageResult.NextStage) result).workerIds()).containsExactly("w1", "w2");
  }
}
