package io.asyncflow.flowsvr.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** What a browser makes of it is in CrossSiteIT. */
class LocalGuardTest {

  @ParameterizedTest
  @CsvSource({
    "localhost, '', 200",
    "devbox.example, '', 421",
    "devbox.example, devbox.example, 200",
    "DEVBOX.example, Devbox.Example, 200",
    "sub.devbox.example, devbox.example, 421",
    "localhost, devbox.example, 200"
  })
  void furtherNamesMayBeGiven(String host, String hosts, int status) throws Exception {
    assertThat(statusOf("", host, List.of(hosts.split(",")))).isEqualTo(status);
  }

  @ParameterizedTest
  @CsvSource({"localhost", "flow.example.com"})
  void serverWithAKeyHasAnyName(String host) throws Exception {
    assertThat(statusOf("d41f8cd98f00b204", host, List.of())).isEqualTo(200);
  }

  private static int statusOf(String key, String host, List<String> hosts) throws Exception {
    MockHttpServletRequest request = new MockHttpServletRequest("GET", "/api/task/getTask");
    request.setServletPath("/api/task/getTask");
    request.addHeader("Host", host);
    request.setServerName(host);
    MockHttpServletResponse response = new MockHttpServletResponse();
    new LocalGuard(new AccessProperties(key, null, hosts))
        .doFilter(request, response, new MockFilterChain());
    return response.getStatus();
  }
}
