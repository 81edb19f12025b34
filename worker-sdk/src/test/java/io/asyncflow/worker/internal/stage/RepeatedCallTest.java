package io.asyncflow.worker.internal.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.testing.StageHarness;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RepeatedCallTest {

  private final StageContext run = StageHarness.run("one");
  private final AtomicInteger calls = new AtomicInteger();

  @ParameterizedTest
  @EnumSource(names = {"NOT_AUTHENTICATED", "KEY_ENDED", "NOT_PERMITTED", "VERB_MISSING"})
  void aRefusedKeyIsWaitedOut(ErrorCode refusal) throws InterruptedException {
    String answer = RepeatedCall.of(run, () -> refusedTwice(refusal));
    assertThat(answer).isEqualTo("answer");
    assertThat(calls).hasValue(3);
  }

  private String refusedTwice(ErrorCode refusal) {
    if (calls.incrementAndGet() < 3) {
      throw new FlowException(refusal, "the key of this worker");
    }
    return "answer";
  }

  @Test
  void aRunThatMustEndWaitsForNoKey() {
    StageContext ended = StageHarness.run("one").cancelledAlready();
    assertThatThrownBy(
            () -> RepeatedCall.of(ended, () -> refusedTwice(ErrorCode.NOT_AUTHENTICATED)))
        .isInstanceOf(FlowException.class);
    assertThat(calls).hasValue(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"OUT_OF_SCOPE", "LEASE_LOST", "TOO_LARGE"})
  void anyOtherRefusalIsFinal(ErrorCode refusal) {
    assertThatThrownBy(() -> RepeatedCall.of(run, () -> refusedTwice(refusal)))
        .isInstanceOf(FlowException.class);
    assertThat(calls).hasValue(1);
  }
}
