package io.asyncflow.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class IncomingBytesTest {

  private static final Duration LONG = Duration.ofMinutes(10);

  /** What the HTTP client is told. */
  private static final class Connection implements Subscription {
    private volatile long requested;
    private volatile boolean isCancelled;

    @Override
    public void request(long n) {
      requested += n;
    }

    @Override
    public void cancel() {
      isCancelled = true;
    }
  }

  private final Connection connection = new Connection();

  private IncomingBytes bytes(Duration silence, String... arrived) {
    IncomingBytes bytes = new IncomingBytes(silence);
    bytes.onSubscribe(connection);
    for (String buffers : arrived) {
      bytes.onNext(
          Arrays.stream(buffers.split("\\|"))
              .map(text -> ByteBuffer.wrap(text.getBytes(US_ASCII)))
              .toList());
    }
    return bytes;
  }

  @Test
  void bytesComeInTheirOrderAndThenTheEnd() throws Exception {
    IncomingBytes bytes = bytes(LONG, "ab||c", "def");
    assertThat(connection.requested).isEqualTo(1);
    bytes.onComplete();
    assertThat(bytes.read()).isEqualTo('a');
    assertThat(connection.requested).as("asked for while these are read").isEqualTo(2);
    assertThat(bytes.available()).isEqualTo(1);
    assertThat(bytes.readAllBytes()).isEqualTo("bcdef".getBytes(US_ASCII));
    assertThat(bytes.read()).isEqualTo(-1);
    bytes.close();
    assertThat(connection.isCancelled).as("it serves the next call").isFalse();
  }

  @Test
  void silenceEndsAReadAndTheConnection() throws Exception {
    IncomingBytes bytes = bytes(Duration.ofMillis(1), "half");
    assertThat(bytes.readNBytes(4)).isEqualTo("half".getBytes(US_ASCII));
    assertThatExceptionOfType(HttpTimeoutException.class)
        .isThrownBy(bytes::read)
        .withMessage("nothing came for 1 ms");
    assertThat(connection.isCancelled).isTrue();
    bytes.onComplete();
    assertThatExceptionOfType(IOException.class).as("no early end").isThrownBy(bytes::read);
  }

  @Test
  void interruptEndsAReadAndStaysSet() {
    IncomingBytes bytes = bytes(LONG);
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(InterruptedIOException.class).isThrownBy(bytes::read);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(connection.isCancelled).isTrue();
  }

  @Test
  void brokenConnectionIsNoEnd() throws Exception {
    IncomingBytes bytes = bytes(LONG, "half");
    bytes.onError(new IOException("reset"));
    assertThat(bytes.readNBytes(4)).isEqualTo("half".getBytes(US_ASCII));
    assertThatExceptionOfType(IOException.class).isThrownBy(bytes::read).withMessage("reset");
  }

  @Test
  void closeByAnotherThreadEndsARead() throws Exception {
    IncomingBytes bytes = bytes(LONG);
    CompletableFuture<Integer> read = new CompletableFuture<>();
    Thread reader =
        new Thread(
            () -> {
              try {
                read.complete(bytes.read());
              } catch (IOException e) {
                read.completeExceptionally(e);
              }
            });
    reader.start();
    bytes.close();
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> read.get(30, TimeUnit.SECONDS))
        .withMessageEndingWith("the stream is closed");
    assertThat(connection.isCancelled).isTrue();
  }
}
