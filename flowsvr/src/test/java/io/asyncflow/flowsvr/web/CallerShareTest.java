package io.asyncflow.flowsvr.web;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import org.junit.jupiter.api.Test;

class CallerShareTest {

  private final CallerShare share = new CallerShare(2, "holds of one worker");

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

  private void assertFull(String caller) {
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> share.enter(caller))
        .withMessageContaining("more than 2 holds of one worker")
        .matches(e -> e.errorCode() == ErrorCode.LIMIT_EXCEEDED);
  }
}
