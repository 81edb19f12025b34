package io.asyncflow.systemtest.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.systemtest.history.Act;
import io.asyncflow.systemtest.history.Event;
import io.asyncflow.systemtest.history.History;
import io.asyncflow.systemtest.history.Phase;
import io.asyncflow.worker.StageNeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The checker finds what is wrong with a history, and nothing else. */
class FleetCheckerTest {

  private static final FleetChecker CHECKER =
      new FleetChecker(Map.of("speak", StageNeeds.slots(2).on("gpu")));

  private final List<Event> events = new ArrayList<>();
  private long calls;

  private void worker(String name, String labels, String devices) {
    events.add(
        Event.draft(Act.WORKER, Phase.OK)
            .worker(name)
            .text(labels)
            .slot(devices)
            .at(events.size(), name, ++calls));
  }

  private long began(String worker, String stage, String slot) {
    calls++;
    tell(worker, stage, slot, Phase.INVOKE, calls);
    return calls;
  }

  private void ended(String worker, String stage, String slot, long call) {
    tell(worker, stage, slot, Phase.OK, call);
  }

  private void tell(String worker, String stage, String slot, Phase phase, long call) {
    events.add(
        Event.draft(Act.RUN, phase)
            .task("7_tts_task_1")
            .stage(stage)
            .slot(slot)
            .at(events.size(), worker, call));
  }

  private FleetChecker.Findings findings() {
    return CHECKER.check(History.of(events));
  }

  @Test
  void runsThatFitAreClean() {
    worker("cpu", "", "");
    worker("gpu", "gpu,zone", "cuda:0+4,cuda:1+2");
    ended("cpu", "split", null, began("cpu", "split", null));
    long first = began("gpu", "speak", "cuda:0/0+2");
    long second = began("gpu", "speak", "cuda:0/2+2");
    began("gpu", "speak", "cuda:1/0+2");
    ended("gpu", "speak", "cuda:0/0+2", first);
    began("gpu", "speak", "cuda:0/0+2");
    ended("gpu", "speak", "cuda:0/2+2", second);
    assertThat(findings().violations()).isEmpty();
    assertThat(findings().runs()).isEqualTo(Map.of("split", 1, "speak", 4));
    assertThat(findings().mostPlaces()).isEqualTo(Map.of("gpu cuda:0", 4, "gpu cuda:1", 2));
  }

  @Test
  void stageOnAWorkerWithoutItsLabelIsFound() {
    worker("cpu", "cpu", "cpu+2");
    began("cpu", "speak", "cpu/0+2");
    assertThat(findings().violations())
        .containsExactly("7_tts_task_1, stage speak on cpu: needs a worker with the label gpu");
  }

  @Test
  void stageOnAWorkerOfWhichNothingIsKnownIsFound() {
    began("stranger", "speak", "cuda:0/0+2");
    assertThat(findings().violations()).hasSize(2);
  }

  @Test
  void stageWithoutItsPlacesIsFound() {
    worker("gpu", "gpu", "cuda:0+4");
    began("gpu", "speak", null);
    began("gpu", "speak", "cuda:0/0+1");
    began("gpu", "split", "cuda:0/1+1");
    assertThat(findings().violations()).hasSize(3).allMatch(found -> found.contains("places"));
  }

  @Test
  void deviceThatIsLentBeyondItsPlacesIsFound() {
    worker("gpu", "gpu", "cuda:0+3");
    long first = began("gpu", "speak", "cuda:0/0+2");
    ended("gpu", "speak", "cuda:0/0+2", first);
    began("gpu", "speak", "cuda:0/0+2");
    assertThat(findings().violations()).isEmpty();
    began("gpu", "speak", "cuda:0/2+2");
    assertThat(findings().violations())
        .singleElement()
        .asString()
        .endsWith("4 places of gpu cuda:0 are lent, which has fewer");
  }

  @Test
  void placeThatIsLentTwiceIsFound() {
    worker("gpu", "gpu", "cuda:0+9");
    began("gpu", "speak", "cuda:0/4+2");
    began("gpu", "speak", "cuda:0/4+2");
    assertThat(findings().violations())
        .singleElement()
        .asString()
        .endsWith("has a place that another run has: cuda:0/4+2");
  }

  @Test
  void runThatNeverEndedKeepsItsPlacesAndThoseOfOtherWorkersAreTheirOwn() {
    worker("gpu-1", "gpu", "cuda:0+2");
    worker("gpu-2", "gpu", "cuda:0+2");
    began("gpu-1", "speak", "cuda:0/0+2");
    began("gpu-2", "speak", "cuda:0/0+2");
    assertThat(findings().violations()).isEmpty();
  }
}
