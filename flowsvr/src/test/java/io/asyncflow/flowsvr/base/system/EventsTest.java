package io.asyncflow.flowsvr.base.system;

import static org.assertj.core.api.Assertions.assertThatNoException;

import org.junit.jupiter.api.Test;

class EventsTest {

  @Test
  void aListenerThatFailsDoesNotFailWhatWasCommitted() {
    Events rejected =
        new Events(
            event -> {
              throw new IllegalStateException("no room");
            });
    Events threadless =
        new Events(
            event -> {
              throw new OutOfMemoryError("unable to create native thread, says the test");
            });

    assertThatNoException().isThrownBy(() -> rejected.publish("a create"));
    assertThatNoException().isThrownBy(() -> threadless.publish("a create"));
  }
}
