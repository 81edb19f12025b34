package io.asyncflow.flowsvr.edge.web.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.reset;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.edge.web.load.OpenCalls;
import io.asyncflow.flowsvr.edge.web.load.WaitingLimits;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;

/** When the container ends a stream. */
class StreamOpenerTest {

  private static final long NOW = -7; // the clock may be negative
  private static final long ONE_HOUR = Duration.ofHours(1).toMillis();

  private final AsyncContext async = mock();
  private final StreamOpener opener =
      new StreamOpener(
          WaitingLimits.ofEach(9),
          new OpenCalls(),
          new Node() {
            @Override
            public long nanoTime() {
              return NOW;
            }
          });

  @AfterEach
  void nobody() {
    SecurityContextHolder.clearContext();
  }

  private ServerSentEvents openBy(Long endNanos) throws IOException {
    TestingAuthenticationToken caller = new TestingAuthenticationToken("any", null);
    caller.setDetails(endNanos);
    SecurityContextHolder.getContext().setAuthentication(caller);
    HttpServletRequest request = mock();
    HttpServletResponse response = mock();
    when(request.getRemoteAddr()).thenReturn("192.0.2.7");
    when(request.startAsync()).thenReturn(async);
    when(response.getOutputStream()).thenReturn(mock(ServletOutputStream.class));
    AtomicReference<ServerSentEvents> opened = new AtomicReference<>();
    opener.open(
        request,
        response,
        (context, out, gone) ->
            new ServerSentEvents(context, out, gone) {
              @Override
              protected String take() {
                return null;
              }
            },
        opened::set,
        stream -> {});
    verify(async).addListener(any());
    return opened.get();
  }

  @Test
  void streamsEndWhenTheServerStops() throws IOException {
    ServerSentEvents before = openBy(null);
    assertThat(before.isOver()).isFalse();
    opener.endAll();
    assertThat(before.isOver()).isTrue();
    reset(async);
    assertThat(openBy(null).isOver()).isTrue();
  }

  @Test
  void afterAnHourWhereTheCallersProofHasNoEnd() throws IOException {
    openBy(null);
    verify(async).setTimeout(ONE_HOUR);
  }

  @Test
  void withTheProofOfItsCaller() throws IOException {
    openBy(NOW + Duration.ofSeconds(90).toNanos());
    verify(async).setTimeout(90_000);
  }

  @Test
  void afterAnHourIfTheProofLastsLonger() throws IOException {
    openBy(NOW + Duration.ofHours(8).toNanos());
    verify(async).setTimeout(ONE_HOUR);
  }

  @Test
  void atOnceIfTheProofHasJustEnded() throws IOException {
    openBy(NOW - 1);
    verify(async).setTimeout(1);
  }
}
