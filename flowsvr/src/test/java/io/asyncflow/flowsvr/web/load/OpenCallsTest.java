package io.asyncflow.flowsvr.web.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.FlowException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;

class OpenCallsTest {

  private final OpenCalls calls = new OpenCalls();
  private final AtomicInteger ends = new AtomicInteger();

  private static void callBy(String caller) {
    SecurityContextHolder.getContext()
        .setAuthentication(new TestingAuthenticationToken(caller, null));
  }

  @AfterEach
  void nobodyCalls() {
    SecurityContextHolder.clearContext();
  }

  @Test
  void callEndsWithTheKeyOfItsCallerAlone() {
    calls.setEnded(Set.of());
    callBy("key:a");
    calls.add(ends::incrementAndGet);
    callBy("key:b");
    calls.add(() -> ends.addAndGet(100));

    calls.setEnded(Set.of("key:b"));
    assertThat(ends).hasValue(100);
    calls.setEnded(Set.of("key:a"));
    assertThat(ends).hasValue(101);
  }

  @Test
  void callThatIsOverIsNotEnded() {
    calls.setEnded(Set.of());
    callBy("key:a");
    Runnable over = calls.add(ends::incrementAndGet);
    calls.add(() -> ends.addAndGet(100));
    over.run();
    calls.setEnded(Set.of("key:a"));
    assertThat(ends).hasValue(100);
  }

  @Test
  void callThatComesAfterTheEndOfItsKeyEndsAtOnce() {
    calls.setEnded(Set.of("key:a"));
    callBy("key:a");
    calls.add(ends::incrementAndGet);
    assertThat(ends).hasValue(1);
    assertThatExceptionOfType(FlowException.class).isThrownBy(calls::requireLiveKey);
    callBy("key:b");
    calls.requireLiveKey();
  }

  @Test
  void nothingIsKeptWhereKeysCannotEnd() {
    callBy("env:FLOW_API_KEY");
    calls.add(ends::incrementAndGet);
    calls.setEnded(Set.of("env:FLOW_API_KEY"));
    assertThat(ends).hasValue(0);
  }
}
