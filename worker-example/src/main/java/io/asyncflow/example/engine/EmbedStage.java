package io.asyncflow.example.engine;

import io.asyncflow.worker.BatchRun;
import io.asyncflow.worker.BatchStageHandler;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.engine.EngineHandler;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Component;

/** Turns each {@code {"text": …}} into a vector, batch by batch, in Python. */
@Component
@ConditionalOnBooleanProperty("example.engine.enabled")
@Stage(type = "vectors", stage = "embed", slot = true)
class EmbedStage implements BatchStageHandler, DisposableBean {

  private static final String PROGRAM = "/engine/reference_engine.py";

  private final Path program;
  private final EngineHandler engine;

  /**
   * @param python the interpreter, resolved by the system's search path
   */
  EmbedStage(@Value("${example.engine.python:python3}") String python) throws IOException {
    program = Files.createTempFile("reference_engine", ".py");
    try (InputStream in = EmbedStage.class.getResourceAsStream(PROGRAM)) {
      Files.write(program, in.readAllBytes());
    }
    engine = EngineHandler.builder(python, program.toString()).name("reference").build();
  }

  @Override
  public void handle(List<BatchRun> batch) throws InterruptedException {
    engine.handle(batch);
  }

  @Override
  public int maxTasks() {
    return 32;
  }

  @Override
  public void destroy() throws IOException {
    engine.close();
    Files.deleteIfExists(program);
  }
}
