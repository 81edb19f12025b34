package io.asyncflow.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.IncomingEvents.Incoming;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Flow.Subscription;
import org.junit.jupiter.api.Test;

class IncomingEventsTest {

  private boolean isCancelled;

  private IncomingEvents<Incoming> events(String arrived) {
    IncomingBytes bytes = new IncomingBytes(Duration.ofMinutes(10));
    bytes.onSubscribe(
        new Subscription() {
          @Override
          public void request(long n) {}

          @Override
          public void cancel() {
            isCancelled = true;
          }
        });
    bytes.onNext(List.of(ByteBuffer.wrap(arrived.getBytes(US_ASCII))));
    return new IncomingEvents<>(bytes, "the stream", event -> event);
  }

  @Test
  void interruptEndsTheStreamBeforeEventsThatHaveArrived() throws Exception {
    IncomingEvents<Incoming> events = events("id: 1\ndata: one\n\nid: 2\ndata: two\n\n");
    assertThat(events.next()).isEqualTo(new Incoming("1", null, "one"));
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(InterruptedException.class).isThrownBy(events::next);
    assertThat(Thread.interrupted()).as("told by the exception").isFalse();
    assertThat(isCancelled).isTrue();
  }
}
