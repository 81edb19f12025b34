package io.asyncflow.flowsvr.web.load;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class CallerShareTest {

  private final CallerShare share =
      new CallerShare(new WaitingRequests(new Connections(-1)), 2, "holds of one worker");

  @Test
  void callerHasItsShareAndNoMore() {
    share.enter("a");
    share.enter("a");
    share.enter("b");

    assertFull("a");
    assertFull("a"); // a refusal takes nothing
    share.leave("a");
    share.enter("a");
    assertFull("a");
    share.enter("b");
  }

  @Test
  void allCallersTogetherHaveTheirShareOfTheConnections() {
    WaitingRequests six = new WaitingRequests(new Connections(10));
    CallerShare holds = new CallerShare(six, 2, "holds of one worker");
    CallerShare streams = new CallerShare(six, 5, "streams of one address");
    for (String caller : List.of("a", "b", "c", "d")) {
      holds.enter(caller);
    }
    streams.enter("e");
    streams.enter("e");

    assertNoneIsLeft(() -> holds.enter("f"));
    assertNoneIsLeft(() -> streams.enter("e"));
    holds.leave("a");
    streams.enter("e");
    assertNoneIsLeft(() -> holds.enter("b"));
    streams.leave("e");
    holds.enter("b"); // what was refused has taken nothing of its caller's share
  }

  private static void assertNoneIsLeft(ThrowingCallable enter) {
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(enter)
        .withMessageContaining("more than 6 holds and streams wait on this server")
        .matches(e -> e.errorCode() == ErrorCode.LIMIT_EXCEEDED);
  }

  private void assertFull(String caller) {
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> share.enter(caller))
        .withMessageContaining("more than 2 holds of one worker")
        .matches(e -> e.errorCode() == ErrorCode.LIMIT_EXCEEDED);
  }
}
