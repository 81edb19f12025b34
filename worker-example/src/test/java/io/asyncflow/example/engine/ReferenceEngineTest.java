package io.asyncflow.example.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.engine.EngineHandler;
import io.asyncflow.worker.testing.StageHarness;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a batch is worth on the reference engine without PyTorch, by way of its process. It is a
 * ratio of two times that are measured in turn, the best of several each, so that it is the same on
 * a fast machine, on a slow one, and on one that is busy with something else.
 */
@Timeout(180)
class ReferenceEngineTest {

  private static final int TEXTS = 32;
  private static final int ROUNDS = 15;

  @TempDir Path directory;
  private Path program;
  private int epochs;

  @BeforeEach
  void writeProgram() throws Exception {
    boolean python = Python.isThere();
    if (!python) {
      System.out.println("NOT RUN: ReferenceEngineTest, there is no python3 on this machine");
    }
    assumeTrue(python, "there is no python3 on this machine");
    program = directory.resolve("reference_engine.py");
    try (InputStream in = getClass().getResourceAsStream("/engine/reference_engine.py")) {
      Files.copy(in, program);
    }
  }

  @Test
  void batchesHaveAtLeastOnePointEightTimesTheThroughputOfSingleRuns() throws Exception {
    try (EngineHandler engine =
        EngineHandler.builder("python3", program.toString(), "--plain").build()) {
      run(engine, 1); // it has started
      long oneByOne = Long.MAX_VALUE;
      long together = Long.MAX_VALUE;
      for (int round = 0; round < ROUNDS; round++) {
        long begin = System.nanoTime();
        for (int text = 0; text < TEXTS; text++) {
          run(engine, 1);
        }
        long between = System.nanoTime();
        run(engine, TEXTS);
        oneByOne = Math.min(oneByOne, between - begin);
        together = Math.min(together, System.nanoTime() - between);
      }
      double gain = (double) oneByOne / together;
      System.out.printf(
          Locale.ROOT,
          "reference engine, plain Python: %d texts one by one %.1f ms, in one batch %.1f ms:"
              + " %.2f times the throughput%n",
          TEXTS,
          oneByOne / 1e6,
          together / 1e6,
          gain);
      assertThat(gain).isGreaterThanOrEqualTo(1.8);
    }
  }

  @Test
  void textHasTheSameVectorAloneAndInABatch() throws Exception {
    try (EngineHandler engine =
        EngineHandler.builder("python3", program.toString(), "--plain").build()) {
      String alone = run(engine, 1).get(0);
      String among = run(engine, TEXTS).get(0);
      assertThat(among).isEqualTo(alone.replace("\"batch\":1", "\"batch\":" + TEXTS));
    }
  }

  private List<String> run(EngineHandler engine, int texts) throws InterruptedException {
    List<ToldRun> batch = new ArrayList<>();
    for (int i = 0; i < texts; i++) {
      StageContext context =
          StageHarness.run("embed")
              .onSlot("cpu")
              .inEpoch(++epochs)
              .withContext(Map.of("text", "Text number " + i));
      batch.add(new ToldRun(context));
    }
    engine.handle(List.copyOf(batch));
    return batch.stream().map(run -> run.outcome().toString()).toList();
  }
}
