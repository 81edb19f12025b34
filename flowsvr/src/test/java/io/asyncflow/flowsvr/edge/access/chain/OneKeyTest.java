package io.asyncflow.flowsvr.edge.access.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Verb;
import io.asyncflow.flowsvr.edge.access.session.Sessions;
import jakarta.servlet.FilterChain;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.core.context.SecurityContextHolder;

class OneKeyTest {

  private static final String KEY = "correct-horse";

  @AfterEach
  void forget() {
    SecurityContextHolder.clearContext();
  }

  @ParameterizedTest
  @CsvSource({
    "Bearer correct-horse, env:FLOW_API_KEY",
    "bearer correct-horse, env:FLOW_API_KEY",
    "Bearer  correct-horse, env:FLOW_API_KEY",
    "Bearer correct-hors,",
    "Bearer correct-horse2,",
    "Bearer,",
    "'Bearer ',",
    "correct-horse,",
    "Basic correct-horse,",
    ","
  })
  void callerIsTheOneWithTheKey(String authorization, String principal) throws Exception {
    MockHttpServletRequest request = new MockHttpServletRequest();
    if (authorization != null) {
      request.addHeader("Authorization", authorization);
    }
    String[] found = new String[1];
    FilterChain chain =
        (any, answer) -> {
          var caller = SecurityContextHolder.getContext().getAuthentication();
          found[0] = caller == null ? null : caller.getName();
        };

    new CallerFilter(new OneKey(KEY), mock(Sessions.class), mock(EnvironmentKeyUse.class))
        .doFilter(request, new MockHttpServletResponse(), chain);

    assertThat(found[0]).isEqualTo(principal);
  }

  @Test
  void itMayDoEverythingEverywhere() {
    Caller caller = new OneKey(KEY).find(KEY, List::of);

    assertThat(caller.verbs()).containsExactly(Verb.values());
    assertThat(caller.isScoped()).isFalse();
    assertThat(caller.kind()).isEqualTo(Caller.Kind.ENV);
    assertThat(caller.toString()).doesNotContain(KEY);
  }
}
