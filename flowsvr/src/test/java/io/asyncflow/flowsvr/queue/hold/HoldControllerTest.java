package io.asyncflow.flowsvr.queue.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.Task;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.edge.web.load.OpenCalls;
import io.asyncflow.flowsvr.edge.web.load.WaitingLimits;
import io.asyncflow.flowsvr.queue.claim.Hold;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.async.DeferredResult;

class HoldControllerTest {

  private static final Hold WAITS =
      new Hold(new TaskType("lark"), 1, "w", Duration.ofSeconds(9), null, Set.of());

  private final TaskTypes types = mock();
  private final TaskHolds holds = mock();
  private final DisconnectWatch hangUps = mock();
  private final HoldController controller =
      new HoldController(
          types, holds, mock(), mock(), new OpenCalls(), hangUps, WaitingLimits.ofEach(1));

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

  /** As when a type was changed just before the database was lost. */
  @Test
  void holdIsAnsweredThoughItsTypeCannotBeRead() {
    when(hangUps.watch(any(), any())).thenReturn(() -> {});
    DataAccessResourceFailureException lost = new DataAccessResourceFailureException("no database");
    when(types.known(any())).thenThrow(lost);
    when(types.find(any())).thenThrow(lost);
    CompletableFuture<List<Task>> parked = new CompletableFuture<>();
    DeferredResult<?> answer = controller.answer(WAITS, parked, null, new MockHttpServletRequest());

    parked.complete(List.of());

    assertThat(answer.getResult()).isInstanceOf(Envelope.class);
  }
}
