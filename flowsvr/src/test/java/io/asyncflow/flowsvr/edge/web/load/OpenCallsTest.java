package io.asyncflow.flowsvr.edge.web.load;

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
    calls.setEnded(caller -> false);
    callBy("key:a");
    calls.add(ends::incrementAndGet);
    callBy("key:b");
    calls.add(() -> ends.addAndGet(100));

    calls.setEnded(Set.of("key:b")::contains);
    assertThat(ends).hasValue(100);
    calls.setEnded(Set.of("key:a")::contains);
    assertThat(ends).hasValue(101);
  }

  @Test
  void callThatIsOverIsNotEnded() {
    calls.setEnded(caller -> false);
    callBy("key:a");
    Runnable over = calls.add(ends::incrementAndGet);
    calls.add(() -> ends.addAndGet(100));
    over.run();
    calls.setEnded(Set.of("key:a")::contains);
    assertThat(ends).hasValue(100);
  }

  @Test
  void callThatComesAfterTheEndOfItsKeyEndsAtOnce() {
    calls.setEnded(Set.of("key:a")::contains);
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
    calls.setEnded(Set.of("env:FLOW_API_KEY")::contains);
    assertThat(ends).hasValue(0);
  }

  private static final class InSession extends TestingAuthenticationToken
      implements OpenCalls.OfSession {

    private static final long serialVersionUID = 1L;

    private final String session;

    InSession(String session) {
      super("key:a", null);
      this.session = session;
    }

    @Override
    public String session() {
      return session;
    }
  }

  @Test
  void callEndsWithItsSessionAloneAlsoWhereKeysCannotEnd() {
    SecurityContextHolder.getContext().setAuthentication(new InSession("one"));
    Runnable over = calls.add(ends::incrementAndGet);
    SecurityContextHolder.getContext().setAuthentication(new InSession("other"));
    calls.add(() -> ends.addAndGet(100));
    SecurityContextHolder.getContext().setAuthentication(new InSession(null));
    calls.add(() -> ends.addAndGet(10_000));
    assertThat(calls.sessions()).containsExactlyInAnyOrder("one", "other");

    calls.endSessions(Set.of("other"));
    assertThat(ends).hasValue(100);
    over.run();
    assertThat(calls.sessions()).containsExactly("other");
    calls.endSessions(Set.of("one"));
    assertThat(ends).hasValue(100);
  }
}
