package io.asyncflow.flowsvr.edge.access.chain;

import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.edge.access.chain.AccessProperties.Mode;
import io.asyncflow.flowsvr.edge.act.Act;
import io.asyncflow.flowsvr.edge.act.Acts;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.mock.web.MockHttpServletRequest;

class EnvironmentKeyUseTest {

  private static final long SOON_MS = 30_000;

  private final Acts acts = mock(Acts.class);
  private Duration now = Duration.ZERO;

  private EnvironmentKeyUse inMode(Mode mode) {
    return new EnvironmentKeyUse(
        new AccessProperties(mode, "the-key-of-the-environment", null, null, null),
        acts,
        new Node() {
          @Override
          public long nanoTime() {
            return now.toNanos();
          }
        });
  }

  private static Caller caller(Caller.Kind kind, String principal) {
    return new Caller(kind, principal, Set.of(Role.ADMIN), Scope.ALL);
  }

  @Test
  void firstUseInAnHourIsRecorded() {
    EnvironmentKeyUse use = inMode(Mode.KEYS);
    Caller caller = caller(Caller.Kind.ENV, "env:FLOW_API_KEY");
    MockHttpServletRequest request = new MockHttpServletRequest();
    request.setRemoteAddr("192.0.2.7");

    use.note(caller, request);
    now = now.plusMinutes(59);
    use.note(caller, request);
    verify(acts, timeout(SOON_MS).times(1))
        .recordBy(
            argThat(
                actor ->
                    actor.name().equals("env:FLOW_API_KEY")
                        && actor.ip().getHostAddress().equals("192.0.2.7")),
            argThat((Act act) -> act.kind().equals("USE_KEY")));
    now = now.plusMinutes(1);
    use.note(caller, request);
    verify(acts, timeout(SOON_MS).times(2)).recordBy(any(), any());
  }

  @Test
  void useIsRecordedLaterIfTheDatabaseIsAway() {
    EnvironmentKeyUse use = inMode(Mode.KEYS);
    Caller caller = caller(Caller.Kind.ENV, "env:FLOW_API_KEY");
    MockHttpServletRequest request = new MockHttpServletRequest();
    doThrow(new DataAccessResourceFailureException("away"))
        .doNothing()
        .when(acts)
        .recordBy(any(), any());

    use.note(caller, request);
    verify(acts, timeout(SOON_MS).times(1)).recordBy(any(), any());
    now = now.plusMinutes(1);
    await()
        .atMost(Duration.ofMillis(SOON_MS))
        .untilAsserted(
            () -> {
              use.note(caller, request);
              verify(acts, times(2)).recordBy(any(), any());
            });
  }

  @Test
  void ruleIsNotRecorded() {
    inMode(Mode.KEYS).note(caller(Caller.Kind.KEY, "key:0123456789"), new MockHttpServletRequest());
    inMode(Mode.KEY)
        .note(caller(Caller.Kind.ENV, "env:FLOW_API_KEY"), new MockHttpServletRequest());
    verify(acts, never()).recordBy(any(), any());
  }
}
