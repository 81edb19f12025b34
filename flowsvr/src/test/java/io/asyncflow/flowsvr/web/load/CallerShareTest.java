package io.asyncflow.flowsvr.web.load;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;

class CallerShareTest {

  private final CallerShare share =
      share(new WaitingRequests(new Connections(-1)), 2, "holds of one worker");

  private static CallerShare share(WaitingRequests waiting, int limit, String description) {
    return new CallerShare(
        waiting, new OpenLimit(3, "of one key"), new OpenLimit(limit, description));
  }

  @AfterEach
  void forget() {
    SecurityContextHolder.clearContext();
  }

  @Test
  void callerHasItsShareAndNoMore() {
    share.enter("a");
    Runnable leave = share.enter("a");
    share.enter("b");

    assertFull("a");
    assertFull("a"); // a refusal takes nothing
    leave.run();
    share.enter("a");
    assertFull("a");
    share.enter("b");
  }

  @Test
  void allCallersTogetherHaveTheirShareOfTheConnections() {
    WaitingRequests six = new WaitingRequests(new Connections(10));
    CallerShare holds = share(six, 2, "holds of one worker");
    CallerShare streams = share(six, 5, "streams of one address");
    Runnable leaveHold = holds.enter("a");
    for (String caller : List.of("b", "c", "d")) {
      holds.enter(caller);
    }
    streams.enter("e");
    Runnable leaveStream = streams.enter("e");

    assertNoneIsLeft(() -> holds.enter("f"));
    assertNoneIsLeft(() -> streams.enter("e"));
    leaveHold.run();
    streams.enter("e");
    assertNoneIsLeft(() -> holds.enter("b"));
    leaveStream.run();
    holds.enter("b"); // what was refused has taken nothing of its caller's share
  }

  @Test
  void accessKeyHasItsShareUnderAllNamesTogether() {
    as("key:one");
    share.enter("a");
    share.enter("b");
    Runnable leave = share.enter("c");
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> share.enter("d"))
        .withMessageContaining("more than 3 of one key")
        .matches(e -> e.errorCode() == ErrorCode.LIMIT_EXCEEDED);
    as("key:other");
    share.enter("d");

    SecurityContextHolder.clearContext(); // another thread ends it
    leave.run();
    as("key:one");
    share.enter("c");
    as(null);
    share.enter("c"); // without a key only the name counts
  }

  /** A caller with this access key. */
  private static void as(String key) {
    SecurityContextHolder.getContext()
        .setAuthentication(new TestingAuthenticationToken("any", key));
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
