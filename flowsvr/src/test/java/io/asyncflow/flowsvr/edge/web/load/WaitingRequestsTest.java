package io.asyncflow.flowsvr.edge.web.load;

import static io.asyncflow.flowsvr.edge.web.load.WaitingRequests.Kind.HOLD_OF_WORKER;
import static io.asyncflow.flowsvr.edge.web.load.WaitingRequests.Kind.STREAM;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;

class WaitingRequestsTest {

  private final WaitingRequests share = share(-1);

  /** Of one worker two holds, of one address five streams, of one key three of each. */
  private static WaitingRequests share(int connections) {
    return new WaitingRequests(new Connections(connections), 2, 2, 3, 5, 3);
  }

  @AfterEach
  void forget() {
    SecurityContextHolder.clearContext();
  }

  @Test
  void callerHasItsShareAndNoMore() {
    share.enter(HOLD_OF_WORKER, "a");
    Runnable leave = share.enter(HOLD_OF_WORKER, "a");
    share.enter(HOLD_OF_WORKER, "b");

    assertFull("a");
    assertFull("a"); // a refusal takes nothing
    leave.run();
    share.enter(HOLD_OF_WORKER, "a");
    assertFull("a");
    share.enter(HOLD_OF_WORKER, "b");
  }

  @Test
  void allCallersTogetherHaveTheirShareOfTheConnections() {
    WaitingRequests six = share(10);
    Runnable leaveHold = six.enter(HOLD_OF_WORKER, "a");
    for (String caller : List.of("b", "c", "d")) {
      six.enter(HOLD_OF_WORKER, caller);
    }
    six.enter(STREAM, "e");
    Runnable leaveStream = six.enter(STREAM, "e");

    assertNoneIsLeft(() -> six.enter(HOLD_OF_WORKER, "f"));
    assertNoneIsLeft(() -> six.enter(STREAM, "e"));
    leaveHold.run();
    six.enter(STREAM, "e");
    assertNoneIsLeft(() -> six.enter(HOLD_OF_WORKER, "b"));
    leaveStream.run();
    six.enter(HOLD_OF_WORKER, "b"); // what was refused has taken nothing of its caller's share
  }

  @Test
  void accessKeyHasItsShareUnderAllNamesTogether() {
    as("key:one");
    share.enter(HOLD_OF_WORKER, "a");
    share.enter(HOLD_OF_WORKER, "b");
    Runnable leave = share.enter(HOLD_OF_WORKER, "c");
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> share.enter(HOLD_OF_WORKER, "d"))
        .withMessageContaining("more than 3 waiting holds of one access key")
        .matches(e -> e.errorCode() == ErrorCode.LIMIT_EXCEEDED);
    as("key:other");
    share.enter(HOLD_OF_WORKER, "d");

    SecurityContextHolder.clearContext(); // another thread ends it
    leave.run();
    as("key:one");
    share.enter(HOLD_OF_WORKER, "c");
    as(null);
    share.enter(HOLD_OF_WORKER, "c"); // without a key only the name counts
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
        .isThrownBy(() -> share.enter(HOLD_OF_WORKER, caller))
        .withMessageContaining("more than 2 waiting holds of this worker")
        .matches(e -> e.errorCode() == ErrorCode.LIMIT_EXCEEDED);
  }
}
