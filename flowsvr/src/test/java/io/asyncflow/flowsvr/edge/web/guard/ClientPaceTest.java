package io.asyncflow.flowsvr.edge.web.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.Node;
import jakarta.servlet.ServletInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.DelegatingServletInputStream;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class ClientPaceTest {

  private static final int KIB = 1024;

  private Duration now = Duration.ofDays(1);
  private Duration pause = Duration.ZERO;
  private final ClientPace pace =
      new ClientPace(
          new Node() {
            @Override
            public long nanoTime() {
              return now.toNanos();
            }
          },
          Duration.ofSeconds(10));

  private InputStream bodyOf(int bytes) throws Exception {
    MockHttpServletRequest request =
        new MockHttpServletRequest("POST", "/") {
          @Override
          public ServletInputStream getInputStream() {
            return new DelegatingServletInputStream(new SlowInput(bytes));
          }
        };
    request.setContent(new byte[bytes]);
    MockFilterChain chain = new MockFilterChain();
    pace.doFilter(request, new MockHttpServletResponse(), chain);
    return chain.getRequest().getInputStream();
  }

  /** Whose next read takes as long as {@code pause} says. */
  private final class SlowInput extends ByteArrayInputStream {

    SlowInput(int bytes) {
      super(new byte[bytes]);
    }

    @Override
    public int read() {
      waitForIt();
      return super.read();
    }

    @Override
    public int read(byte[] buffer, int offset, int length) {
      waitForIt();
      return super.read(buffer, offset, length);
    }

    private void waitForIt() {
      now = now.plus(pause);
      pause = Duration.ZERO;
    }
  }

  private void readAfter(Duration pause, InputStream body, int bytes) throws IOException {
    this.pause = pause;
    assertThat(body.readNBytes(bytes)).hasSize(bytes);
  }

  @Test
  void bodyMayTakeAsLongAsItComesFastEnough() throws Exception {
    InputStream body = bodyOf(100 * KIB);

    readAfter(Duration.ofSeconds(10), body, 1);
    readAfter(Duration.ZERO, body, 8 * KIB);
    for (int second = 0; second < 10; second++) {
      readAfter(Duration.ofSeconds(1), body, 8 * KIB);
    }
  }

  @Test
  void bodyThatComesSlowerIsGivenUp() throws Exception {
    InputStream body = bodyOf(100 * KIB);
    readAfter(Duration.ofSeconds(10), body, 8 * KIB);
    readAfter(Duration.ofSeconds(1), body, 1);

    pause = Duration.ofMillis(100);
    FlowException refused = catchThrowableOfType(FlowException.class, body::read);

    assertThat(refused.errorCode()).isEqualTo(ErrorCode.BODY_TOO_SLOW);
    assertThat(refused.retryable()).isTrue();
  }

  @Test
  void endIsNeverTooLate() throws Exception {
    InputStream body = bodyOf(1);
    readAfter(Duration.ZERO, body, 1);

    pause = Duration.ofSeconds(60);
    assertThat(body.read()).isNegative();
    assertThat(body.read(new byte[1])).isNegative();
  }

  @Test
  void whatTheServerDoesBetweenTwoReadsIsNotTheClientsTime() throws Exception {
    InputStream body = bodyOf(2);
    readAfter(Duration.ofSeconds(10), body, 1);

    now = now.plusSeconds(60);

    readAfter(Duration.ZERO, body, 1);
  }
}
