package io.asyncflow.example.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.testing.StageHarness;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The reference engine in Python, where there is one. */
@Timeout(180)
class EmbedStageTest {

  private EmbedStage stage;
  private int epochs;

  @BeforeEach
  void start() throws IOException, InterruptedException {
    boolean python = Python.isThere();
    if (!python) {
      System.out.println("NOT RUN: EmbedStageTest, there is no python3 on this machine");
    }
    assumeTrue(python, "there is no python3 on this machine");
    stage = new EmbedStage("python3");
  }

  @AfterEach
  void stop() throws IOException {
    if (stage != null) {
      stage.destroy();
    }
  }

  private List<Object> run(Object... contexts) throws InterruptedException {
    List<ToldRun> batch = new ArrayList<>();
    for (Object context : contexts) {
      epochs++;
      batch.add(
          new ToldRun(
              StageHarness.run("embed").onSlot("cpu").inEpoch(epochs).withContext(context)));
    }
    stage.handle(List.copyOf(batch));
    return batch.stream().map(ToldRun::outcome).toList();
  }

  @Test
  void theSameTextHasTheSameVectorAndAnotherHasAnother() throws Exception {
    List<Object> first = run(Map.of("text", "Hello, 世界"));
    assertThat(first.get(0).toString()).contains("\"vector\":[", "\"batch\":1");
    assertThat(run(Map.of("text", "Hello, 世界"))).isEqualTo(first);
    assertThat(run(Map.of("text", "Goodbye"))).isNotEqualTo(first);
  }

  @Test
  void aBatchIsOnePassAndTheOneWithoutATextFailsAlone() throws Exception {
    List<Object> told = run(Map.of("text", "one"), "no JSON", Map.of("text", "two"));
    assertThat(told.get(0).toString()).contains("\"batch\":2");
    assertThat(told.get(1)).isInstanceOf(NonRetryableException.class);
    assertThat(((Exception) told.get(1)).getMessage()).startsWith("the context has no text");
    assertThat(told.get(2).toString()).contains("\"batch\":2");
  }
}
