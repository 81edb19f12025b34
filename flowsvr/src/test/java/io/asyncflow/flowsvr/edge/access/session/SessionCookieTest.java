package io.asyncflow.flowsvr.edge.access.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import jakarta.servlet.http.Cookie;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** Over which connections there are cookies, and which. */
class SessionCookieTest {

  private static final SessionId ID = SessionId.random();

  private static MockHttpServletRequest request(boolean isSecure, String host, String client) {
    MockHttpServletRequest request = new MockHttpServletRequest();
    request.setSecure(isSecure);
    request.addHeader("Host", host);
    request.setRemoteAddr(client);
    return request;
  }

  private static HostCookie of(String tls) {
    return new HostCookie("asyncflow", tls);
  }

  private static String setCookie(HostCookie cookie, MockHttpServletRequest request) {
    MockHttpServletResponse response = new MockHttpServletResponse();
    cookie.set(request, response, ID.text(), Duration.ofSeconds(-1));
    return response.getHeader("Set-Cookie");
  }

  @Test
  void cookieOfHttpsIsForThisHostOverHttpsAlone() {
    String secure = "__Host-asyncflow=" + ID.text() + "; Path=/; Secure; HttpOnly; SameSite=Lax";
    assertThat(setCookie(of(""), request(true, "flow.example", "10.1.1.1"))).isEqualTo(secure);
    assertThat(setCookie(of("proxy"), request(false, "flow.example", "10.1.1.1")))
        .isEqualTo(secure);
  }

  @Test
  void cookieOfPlainHttpIsForThisMachineAlone() {
    assertThat(setCookie(of(""), request(false, "localhost:8081", "127.0.0.1")))
        .isEqualTo("asyncflow=" + ID.text() + "; Path=/; HttpOnly; SameSite=Lax");
  }

  @ParameterizedTest
  @CsvSource({
    "flow.example:8081, 10.1.1.1",
    "flow.example, 127.0.0.1",
    "localhost, 10.1.1.1",
    "127.0.0.1.evil.example, 127.0.0.1",
    "127.0.0.1, not-an-address"
  })
  void plainHttpFromElsewhereIsRefusedWithTheSettingsThatHelp(String host, String client) {
    HostCookie cookie = of("");
    MockHttpServletRequest request = request(false, host, client);
    request.setCookies(
        new Cookie("asyncflow", ID.text()), new Cookie("__Host-asyncflow", ID.text()));
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> cookie.requireSafe(request))
        .withMessageContaining("FLOW_TLS_CERT")
        .withMessageContaining("FLOW_TLS=proxy")
        .extracting(FlowException::errorCode)
        .isEqualTo(ErrorCode.NOT_PERMITTED);
    assertThat(cookie.read(request)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"})
  void proxyOfPlainHttpOnThisMachineIsNoBrowserOfIt(String header) {
    MockHttpServletRequest request = request(false, "localhost:8081", "127.0.0.1");
    request.addHeader(header, "10.1.1.1");
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> of("").requireSafe(request))
        .withMessageContaining("FLOW_TLS=proxy");
  }

  @Test
  void cookieThatPlainHttpCouldSetIsNotReadOverHttps() {
    MockHttpServletRequest request = request(true, "flow.example", "10.1.1.1");
    request.setCookies(new Cookie("asyncflow", ID.text()));
    assertThat(of("").read(request)).isEmpty();
    request.setCookies(new Cookie("asyncflow", "x"), new Cookie("__Host-asyncflow", ID.text()));
    assertThat(of("").read(request)).containsExactly(ID.text());
  }
}
