package io.asyncflow.flowsvr.hold;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.claim.Hold;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.flowsvr.web.load.OpenCalls;
import io.asyncflow.flowsvr.web.load.WaitingRequests;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class HoldControllerTest {

  private static final Hold WAITS =
      new Hold(new TaskType("lark"), 1, "w", Duration.ofSeconds(9), null, Set.of());

  private final TaskTypes types = mock();
  private final TaskHolds holds = mock();
  private final HoldController controller =
      new HoldController(
          types,
          holds,
          mock(),
          mock(),
          new OpenCalls(),
          mock(),
          mock(WaitingRequests.class),
          1,
          1,
          1);

  @Test
  void holdThatIsNotParkedTakesNoShare() {
    Error noMemory = new OutOfMemoryError("as some day");
    when(holds.hold(any())).thenThrow(noMemory);
    for (int hold = 0; hold < 2; hold++) {
      assertThatThrownBy(() -> controller.holdInShare(WAITS, "address")).isSameAs(noMemory);
    }
  }

  @Test
  void parkedHoldHasItsShareUntilItIsAnswered() {
    CompletableFuture<List<Task>> parked = new CompletableFuture<>();
    when(holds.hold(any())).thenReturn(parked);
    controller.holdInShare(WAITS, "address");
    assertThatThrownBy(() -> controller.holdInShare(WAITS, "address"))
        .extracting("errorCode")
        .isEqualTo(ErrorCode.LIMIT_EXCEEDED);

    parked.cancel(false);
    controller.holdInShare(WAITS, "address");
  }
}
