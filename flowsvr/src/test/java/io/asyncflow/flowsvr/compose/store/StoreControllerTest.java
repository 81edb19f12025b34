package io.asyncflow.flowsvr.compose.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.edge.access.TestCallers;
import io.asyncflow.flowsvr.edge.web.budget.Exchange;
import io.asyncflow.flowsvr.edge.web.load.OpenCalls;
import io.asyncflow.rules.SealRule;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.mock.web.DelegatingServletInputStream;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;

/** What becomes of uploads that are refused, here for a key that is none. */
class StoreControllerTest {

  private final StoreController controller =
      new StoreController(
          null, new WriteFence(null, null), new OpenCalls(), null, oneTransferAtOnce(), 1);

  private static StoreProperties oneTransferAtOnce() {
    return transfersAtOnce(1);
  }

  private static StoreProperties transfersAtOnce(int transfers) {
    return new Binder(
            new MapConfigurationPropertySource(Map.of("flow.store.transfers-at-once", transfers)))
        .bind("flow.store", StoreProperties.class)
        .get();
  }

  /** A body that comes when the test lets it. */
  private static final class SlowBody extends InputStream {

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch sent = new CountDownLatch(1);

    @Override
    public int read() throws IOException {
      asked.countDown();
      try {
        sent.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return -1;
    }

    boolean wasRead() {
      return asked.getCount() == 0;
    }
  }

  private void refuse(SlowBody body, long length) {
    MockHttpServletRequest request =
        new MockHttpServletRequest() {
          @Override
          public ServletInputStream getInputStream() {
            return new DelegatingServletInputStream(body);
          }

          @Override
          public long getContentLengthLong() {
            return length;
          }
        };
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(
            () ->
                controller.put("no task", "render", "1", "a", "worker", TestCallers.ADMIN, request))
        .matches(e -> e.errorCode() == ErrorCode.INVALID_INPUT);
  }

  @Test
  void refusedUploadThatIsLargerThanAnyObjectIsNotReadOn() {
    SlowBody large = new SlowBody();
    refuse(large, Long.MAX_VALUE);
    assertThat(large.wasRead()).isFalse();
  }

  @Test
  void refusedUploadThatMayHaveNoEndIsNotReadOn() {
    SlowBody endless = new SlowBody();
    refuse(endless, -1);
    assertThat(endless.wasRead()).isFalse();
  }

  @Test
  void accessKeyHasSoManyTransfersAtOnce() throws IOException {
    ContextStore store = mock();
    WriteFence fence = mock();
    when(fence.sealRule(any())).thenReturn(SealRule.ANY);
    StoreController controller =
        new StoreController(store, fence, new OpenCalls(), null, transfersAtOnce(2), 1);
    AtomicReference<Throwable> second = new AtomicReference<>();
    doAnswer(
            put -> {
              second.set(catchThrowable(() -> put(controller)));
              return null;
            })
        .when(store)
        .put(any(), any(), any());
    SecurityContextHolder.getContext()
        .setAuthentication(new TestingAuthenticationToken("key:3Qm81LtzGh", "key:3Qm81LtzGh"));
    try {
      put(controller);
      assertThat(second.get())
          .hasMessageContaining("too many transfers")
          .extracting("errorCode")
          .isEqualTo(ErrorCode.LIMIT_EXCEEDED);
    } finally {
      SecurityContextHolder.clearContext();
    }
  }

  private static void put(StoreController controller) throws IOException {
    MockHttpServletRequest request = new MockHttpServletRequest();
    request.setContent(new byte[1]);
    Exchange.of(request).isOf(SecurityContextHolder.getContext().getAuthentication());
    controller.put("1_lark_task_1", "s", "1", "a", "worker", TestCallers.ADMIN, request);
  }

  @Test
  void uploadWhoseKeyHasEndedMeanwhileIsNotTaken() throws IOException {
    ContextStore store = mock();
    WriteFence fence = mock();
    when(fence.sealRule(any())).thenReturn(SealRule.ANY);
    OpenCalls calls = new OpenCalls();
    calls.setEnded(caller -> false);
    doAnswer(
            put -> {
              calls.setEnded(Set.of("key:3Qm81LtzGh")::contains);
              put.getArgument(2, Runnable.class).run();
              return null;
            })
        .when(store)
        .put(any(), any(), any());
    SecurityContextHolder.getContext()
        .setAuthentication(new TestingAuthenticationToken("key:3Qm81LtzGh", null));
    try {
      MockHttpServletRequest request = new MockHttpServletRequest();
      request.setContent(new byte[1]);
      assertThatExceptionOfType(FlowException.class)
          .isThrownBy(
              () ->
                  new StoreController(store, fence, calls, null, oneTransferAtOnce(), 1)
                      .put("1_lark_task_1", "s", "1", "a", "worker", TestCallers.ADMIN, request))
          .extracting(FlowException::errorCode)
          .isEqualTo(ErrorCode.KEY_ENDED);
    } finally {
      SecurityContextHolder.clearContext();
    }
  }
}
