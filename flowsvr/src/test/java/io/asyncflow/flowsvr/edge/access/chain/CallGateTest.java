package io.asyncflow.flowsvr.edge.access.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.RequestRate;
import io.asyncflow.flowsvr.base.system.db.DatabaseWatch;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.web.error.RateExceededException;
import jakarta.servlet.DispatcherType;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.web.method.HandlerMethod;

class CallGateTest {

  private static final int RATE = 5;

  private final CallGate gate =
      new CallGate(
          upDatabase(),
          new Node() {
            @Override
            public long nanoTime() {
              return -7;
            }
          },
          null);

  private static DatabaseWatch upDatabase() {
    DatabaseWatch database = mock();
    when(database.isUp()).thenReturn(true);
    return database;
  }

  /** Methods that need what those of controllers do. */
  static class Calls {
    @Needs(Verb.WORK_HOLD)
    public void hold() {}

    @Needs(Verb.WORK_BEAT)
    public void beat() {}

    @Needs({Verb.WORK_REPORT, Verb.WORK_UPDATE})
    public void report() {}

    @Needs(Verb.STORE_PUT)
    public void put() {}

    @Needs({})
    public void me() {}
  }

  @AfterEach
  void forget() {
    SecurityContextHolder.clearContext();
  }

  private static void asKey(RequestRate rate) {
    Caller caller =
        new Caller(Caller.Kind.KEY, "key:3Qm81LtzGh", Set.of(Role.WORKER), Scope.ALL, rate);
    SecurityContextHolder.setContext(new SecurityContextImpl(new CallerAuthentication(caller)));
  }

  private void call(String method) {
    call(method, DispatcherType.REQUEST);
  }

  private void call(String method, DispatcherType type) {
    MockHttpServletRequest request = new MockHttpServletRequest();
    request.setDispatcherType(type);
    try {
      gate.preHandle(request, null, new HandlerMethod(new Calls(), method));
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }

  private void assertRefused(String method) {
    assertThatExceptionOfType(RateExceededException.class)
        .isThrownBy(() -> call(method))
        .withMessageContaining("5 requests a second")
        .matches(e -> e.retryAfter().compareTo(Duration.ofSeconds(10)) < 0);
  }

  @Test
  void heartbeatsAreNotCounted() {
    asKey(new RequestRate(RATE, -7));
    for (int i = 0; i < 100; i++) {
      call("beat");
    }
    for (int i = 0; i < RATE; i++) {
      call("hold");
    }
    assertRefused("hold");
    assertRefused("me");
    assertThatCode(() -> call("beat")).doesNotThrowAnyException();
  }

  @Test
  void whatRunsGiveBackGoesTenSecondsAheadAndNoFarther() {
    asKey(new RequestRate(RATE, -7));
    for (int i = 0; i < RATE; i++) {
      call("hold");
    }
    assertRefused("hold");
    for (int i = 0; i < 9 * RATE; i++) {
      call(i % 2 == 0 ? "report" : "put");
    }
    assertRefused("report");
    assertRefused("put");
  }

  @Test
  void parkedHoldThatIsAnsweredIsNotCountedAgain() {
    RequestRate rate = new RequestRate(1, -7);
    asKey(rate);
    for (int i = 0; i < 10; i++) {
      call("hold", DispatcherType.ASYNC);
    }
    assertThat(rate.take(-7, 1)).isZero();
  }

  @Test
  void callerWithoutARateHasNone() {
    asKey(null);
    for (int i = 0; i < 100; i++) {
      call("hold");
    }
  }
}
