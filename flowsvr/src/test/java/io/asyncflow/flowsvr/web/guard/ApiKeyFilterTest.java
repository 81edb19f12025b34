package io.asyncflow.flowsvr.web.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.flowsvr.system.BadSettingException;
import io.asyncflow.flowsvr.system.Node;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class ApiKeyFilterTest {

  private static final String KEY = "correct-horse";

  @ParameterizedTest
  @CsvSource({
    "Bearer correct-horse, 200",
    "bearer correct-horse, 200",
    "Bearer  correct-horse, 200",
    "Bearer correct-hors, 401",
    "Bearer correct-horse2, 401",
    "Bearer, 401",
    "correct-horse, 401",
    "Basic correct-horse, 401",
    ", 401"
  })
  void onlyTheKeyOpensARoute(String authorization, int status) throws Exception {
    assertThat(statusOf(KEY, "/api/task/getTask", authorization)).isEqualTo(status);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/actuator/health", "/actuator/health/liveness"})
  void healthIsOpen(String path) throws Exception {
    assertThat(statusOf(KEY, path, null)).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/v3/api-docs", "/swagger-ui", "/actuator", "/actuator/healthy"})
  void nothingElseIs(String path) throws Exception {
    assertThat(statusOf(KEY, path, null)).isEqualTo(401);
  }

  @Test
  void withoutAKeyEverythingIsOpen() throws Exception {
    assertThat(statusOf("", "/api/task/getTask", null)).isEqualTo(200);
  }

  @Test
  void withoutAKeyOnlyLoopbackIsListenedTo() throws Exception {
    InetAddress everywhere = InetAddress.getByName("0.0.0.0");
    InetAddress loopback = InetAddress.getByName("127.0.0.2");

    assertThat(new AccessProperties("", null, null).listenAddress().isLoopbackAddress()).isTrue();
    assertThat(new AccessProperties(" ", loopback, null).listenAddress()).isEqualTo(loopback);
    assertThatThrownBy(() -> new AccessProperties(null, everywhere, null).listenAddress())
        .isInstanceOf(BadSettingException.class)
        .hasMessageContaining("FLOW_API_KEY");
    assertThat(new AccessProperties(KEY, null, null).listenAddress()).isNull();
    assertThat(new AccessProperties(KEY, everywhere, null).listenAddress()).isEqualTo(everywhere);
  }

  private static int statusOf(String key, String path, String authorization) throws Exception {
    MockHttpServletRequest request = new MockHttpServletRequest("GET", path);
    request.setServletPath(path);
    if (authorization != null) {
      request.addHeader("Authorization", authorization);
    }
    MockHttpServletResponse response = new MockHttpServletResponse();
    AccessProperties access = new AccessProperties(key, null, null);
    RefusedKeys refusedKeys = new RefusedKeys(new Node(), new SimpleMeterRegistry(), access);
    new ApiKeyFilter(access, refusedKeys).doFilter(request, response, new MockFilterChain());
    return response.getStatus();
  }
}
