package io.asyncflow.example.tts;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.example.Run;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.StageResult.Done;
import io.asyncflow.worker.StageResult.NextStage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** A task that goes through its stages as a server and its workers would have it. */
final class PlayedTask {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** What the server has committed, from creation on. */
  final List<String> contexts = new ArrayList<>();

  private final String id;
  private final Map<String, StageHandler> handlers;
  private String stage = "split";
  private int epoch;

  PlayedTask(String id, TtsSettings settings, SpeechEngine engine, Object context) {
    this.id = id;
    this.handlers =
        Stream.of(
                new SplitStage(settings, engine),
                new SynthesizeStage(settings, engine),
                new MergeStage(settings, engine))
            .collect(
                Collectors.toMap(
                    handler -> handler.getClass().getAnnotation(Stage.class).stage(),
                    Function.identity()));
    contexts.add(JSON.writeValueAsString(context));
  }

  String stage() {
    return stage;
  }

  /** Hands the task out once more, under a new epoch. */
  Run hold() {
    return Run.of(id, stage).epoch(++epoch).reading(contexts.get(contexts.size() - 1));
  }

  StageResult run(Run run) throws Exception {
    return handlers.get(run.stage()).handle(run);
  }

  /** Accepts a report. */
  void commit(StageResult result) {
    NextStage next = (NextStage) result;
    String context = JSON.writeValueAsString(next.context());
    assertThat(context.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(4096);
    contexts.add(context);
    stage = next.stage();
  }

  /** Holds, runs and commits until the task is in a stage. */
  PlayedTask playTo(String wanted) throws Exception {
    while (!stage.equals(wanted)) {
      commit(run(hold()));
    }
    return this;
  }

  MergeStage.SpokenText playToTheEnd() throws Exception {
    playTo("merge");
    return (MergeStage.SpokenText) ((Done) run(hold())).result();
  }
}
