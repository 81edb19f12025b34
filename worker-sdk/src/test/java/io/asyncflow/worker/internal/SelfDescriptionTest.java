package io.asyncflow.worker.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.WorkerInfo;
import io.asyncflow.api.WorkerInfo.Withheld;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageNeeds;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.WorkerSettings;
import io.asyncflow.worker.WorkerState;
import io.asyncflow.worker.WorkerView;
import io.asyncflow.worker.internal.execute.SlotPool;
import io.asyncflow.worker.internal.loop.ManualTicker;
import io.asyncflow.worker.internal.loop.WakeUp;
import io.asyncflow.worker.internal.stage.RegisteredStage;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SelfDescriptionTest {

  private final SlotPool slots =
      new SlotPool(Map.of("cuda:0", 1), new ManualTicker(), new WakeUp());

  private WorkerInfo described(
      Map<String, RegisteredStage> stages, Map<String, List<String>> withheld) {
    WorkerView now =
        new WorkerView("w", WorkerState.RUNNING, List.of(), 1, 1, List.of(), 0, 0, null);
    return new SelfDescription(WorkerSettings.defaults(), Map.of("tts", stages), withheld)
        .at(now, false, List.of(), slots);
  }

  private static RegisteredStage speaking(String model) {
    StageHandler handler = context -> StageResult.done("");
    StageNeeds needs = StageNeeds.slots(1);
    return new RegisteredStage("speak", handler, model.isEmpty() ? needs : needs.loading(model));
  }

  @Test
  void labelsThatAreMissingAndModelsAreSaid() {
    slots.tryTake(1, "kokoro").orElseThrow();

    WorkerInfo said =
        described(Map.of("speak", speaking("kokoro")), Map.of("video/cut", List.of("gpu")));

    assertThat(said.withheld()).containsExactly(new Withheld("video/cut", List.of("gpu")));
    assertThat(said.models()).isEqualTo(Map.of("tts/speak", "kokoro"));
    assertThat(said.loaded()).containsExactly("kokoro");
  }

  @Test
  void whatThereIsNothingOfIsLeftOut() {
    WorkerInfo said = described(Map.of("speak", speaking("")), Map.of());

    assertThat(said.withheld()).isNull();
    assertThat(said.models()).isNull();
    assertThat(said.loaded()).isNull();
    assertThat(said.queued()).isNull();
  }

  @Test
  void aWorkerOfVeryManyStagesSaysAsMuchAsAServerTakes() {
    Map<String, List<String>> withheld = new TreeMap<>();
    Map<String, RegisteredStage> stages = new TreeMap<>();
    IntStream.range(0, 1_000)
        .forEach(
            i -> {
              withheld.put("video/cut-" + i, List.of("gpu"));
              stages.put("speak-" + i, speaking("model-" + i));
            });

    WorkerInfo said = described(stages, withheld);

    assertThat(said.withheld()).hasSizeBetween(20, 100);
    assertThat(said.models()).hasSizeBetween(20, 100);
  }
}
