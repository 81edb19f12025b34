package io.asyncflow.worker.internal.execute;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.asyncflow.api.Task;
import io.asyncflow.api.codec.Sealing;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageNeeds;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.HandDriven;
import io.asyncflow.worker.internal.loop.TransitionTable;
import io.asyncflow.worker.internal.run.Run;
import io.asyncflow.worker.internal.stage.ForwardingContext;
import io.asyncflow.worker.internal.stage.RegisteredStage;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RunContextTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final HandDriven worker = new HandDriven();
  private final StageHandler handler = context -> StageResult.done();
  private final RegisteredStage stage = new RegisteredStage("one", handler, StageNeeds.nothing());

  private StageContext contextOf(Run run) {
    return new ForwardingContext(new RunContext(run, null, worker.ticker, Sealing.OFF)) {};
  }

  @Test
  void scheduleAndFireTimeAreThoseOfTheTask() throws Exception {
    Run run = worker.heldRun("", stage);
    assertThat(contextOf(run).scheduleId()).isEmpty();
    assertThat(contextOf(run).fireTime()).isEmpty();

    ObjectNode held = JSON.valueToTree(run.task());
    held.put("scheduleId", "7").put("fireTime", 1_795_255_036_000L);
    Task fired = JSON.treeToValue(held, Task.class);
    Run ofFire = new Run(fired, stage, run.lease(), TransitionTable.Listener.none());
    assertThat(contextOf(ofFire).scheduleId()).contains("7");
    assertThat(contextOf(ofFire).fireTime()).contains(Instant.parse("2026-11-21T09:57:16Z"));
  }
}
