package io.asyncflow.flowsvr.edge.access.login;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.nimbusds.oauth2.sdk.as.AuthorizationServerMetadata;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.edge.access.token.IssuerHttp;
import io.asyncflow.flowsvr.edge.access.token.OidcProperties;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Where people log in, as the issuer describes it. */
@ExtendWith(OutputCaptureExtension.class)
class CodeExchangeTest {

  private static final String GOOD = "https://issuer.example/";

  private final CodeExchange exchange =
      new CodeExchange(
          new OidcProperties("https://issuer.example", "", "", "", "", "client", "secret", "", ""),
          new IssuerHttp(),
          new Node());

  private AuthorizationServerMetadata endpoints(String page, String tokens) {
    return exchange.endpointsIn(
        Optional.of(
            """
            {"issuer":"https://issuer.example","authorization_endpoint":"%s","token_endpoint":"%s"}
            """
                .formatted(page, tokens)));
  }

  @Test
  void pageOfTheIssuerMayHaveAQuery() {
    AuthorizationServerMetadata issuer = endpoints(GOOD + "page?theme=dark", GOOD + "token");
    assertThat(issuer.getAuthorizationEndpointURI()).hasToString(GOOD + "page?theme=dark");
    assertThat(issuer.getTokenEndpointURI()).hasToString(GOOD + "token");
  }

  @ParameterizedTest
  @CsvSource({
    "http://issuer.example/page, https://issuer.example/token, page to log in",
    "https://issuer.example/page, http://issuer.example/token, token endpoint",
    "https://issuer.example/page, https://issuer.example/token?x=1, token endpoint"
  })
  void nobodyLogsInWhereOthersCouldSeeIt(
      String page, String tokens, String named, CapturedOutput output) {
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> endpoints(page, tokens))
        .extracting(FlowException::errorCode)
        .isEqualTo(ErrorCode.UNAVAILABLE);
    assertThat(output).contains("its " + named);
  }

  @Test
  void issuerThatWasNeverReadDoesNotAnswer() {
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(() -> exchange.endpointsIn(Optional.empty()))
        .extracting(FlowException::errorCode)
        .isEqualTo(ErrorCode.UNAVAILABLE);
  }
}
