package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.find.Why;
import org.junit.jupiter.api.Test;

class CallTest {

  /** Who keeps answers keeps them by calls. */
  @Test
  void callsThatAskForTheSameAreEqual() {
    Call<Why> call = Call.to("/api/task/why", Why.class).with("taskId", "1");

    assertThat(Call.to("/api/task/why", Why.class).with("taskId", "1"))
        .isEqualTo(call)
        .hasSameHashCodeAs(call);
    assertThat(Call.to("/api/task/why", Why.class).with("taskId", "2")).isNotEqualTo(call);
  }
}
