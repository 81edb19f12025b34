package io.asyncflow.example.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.testing.StageHarness;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The reference engine in Python, where there is one. */
@Timeout(180)
class EmbedStageTest {

  private EmbedStage stage;

  @BeforeEach
  void start() throws IOException, InterruptedException {
    boolean python = works("python3", "--version");
    if (!python) {
      System.out.println("NOT RUN: EmbedStageTest, there is no python3 on this machine");
    }
    assumeTrue(python, "there is no python3 on this machine");
    stage = new EmbedStage("python3");
  }

  private static boolean works(String... command) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  @AfterEach
  void stop() throws IOException {
    if (stage != null) {
      stage.destroy();
    }
  }

  private StageResult run(Object context) throws Exception {
    return StageHarness.run("embed").onSlot("cpu").withContext(context).with(stage);
  }

  @Test
  void theSameTextHasTheSameVectorAndAnotherHasAnother() throws Exception {
    StageResult first = run(Map.of("text", "Hello, 世界"));
    assertThat(((StageResult.Done) first).result().toString()).contains("\"vector\":[");
    assertThat(run(Map.of("text", "Hello, 世界"))).isEqualTo(first);
    assertThat(run(Map.of("text", "Goodbye"))).isNotEqualTo(first);
  }

  @Test
  void aContextWithoutATextFailsForGoodAndTheEngineGoesOn() throws Exception {
    assertThatThrownBy(() -> run("no JSON"))
        .isInstanceOf(NonRetryableException.class)
        .hasMessageStartingWith("the context has no text");
    assertThat(run(Map.of("text", "still here"))).isInstanceOf(StageResult.Done.class);
  }
}
