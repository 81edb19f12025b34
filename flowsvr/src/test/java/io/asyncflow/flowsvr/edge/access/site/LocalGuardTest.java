package io.asyncflow.flowsvr.edge.access.site;

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
    assertThat(statusOf(host, List.of(hosts.split(",")))).isEqualTo(status);
  }

  @ParameterizedTest
  @CsvSource({
    "localhost:8081, 200",
    "127.0.0.1:8081, 200",
    "[::1]:8081, 200",
    "[::1], 200",
    "'', 421",
    ":8081, 421",
    "evil.example:8081, 421"
  })
  void nameIsThatOfTheHostHeaderAndNotWhatAForwardingHeaderMadeOfIt(String host, int status)
      throws Exception {
    MockHttpServletRequest forwarded =
        new MockHttpServletRequest("GET", "/api/task/getTask") {
          @Override
          public String getServerName() {
            return status == 200 ? "evil.example" : "localhost";
          }
        };
    assertThat(statusOf(host, List.of(), forwarded)).isEqualTo(status);
  }

  private static int statusOf(String host, List<String> hosts) throws Exception {
    return statusOf(host, hosts, new MockHttpServletRequest("GET", "/api/task/getTask"));
  }

  private static int statusOf(String host, List<String> hosts, MockHttpServletRequest request)
      throws Exception {
    request.setServletPath("/api/task/getTask");
    request.addHeader("Host", host);
    MockHttpServletResponse response = new MockHttpServletResponse();
    new LocalGuard(hosts).doFilter(request, response, new MockFilterChain());
    return response.getStatus();
  }
}
