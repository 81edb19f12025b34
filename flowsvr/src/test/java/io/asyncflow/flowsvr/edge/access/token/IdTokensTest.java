package io.asyncflow.flowsvr.edge.access.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.edge.access.key.KnownKeys;
import io.asyncflow.flowsvr.edge.access.token.IdTokens.Person;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtException;

@ExtendWith(OutputCaptureExtension.class)
class IdTokensTest {

  private static final String ISSUER = "https://issuer.example";
  private static final String CLIENT = "asyncflow-console";
  private static final String NONCE = "n-7";
  private static final long NOW = 5_000_000;

  private final KnownKeys keys = mock();

  private Optional<Person> decoded(JwtDecoder decoder) {
    when(keys.now()).thenReturn(NOW);
    OidcProperties oidc = new OidcProperties(ISSUER, "asyncflow", "", "", "", "", "", "", "");
    return new IdTokens(CLIENT, decoder, new TokenGrant(oidc), keys).verify("token", NONCE);
  }

  private Optional<Person> verify(UnaryOperator<Jwt.Builder> change) {
    Jwt.Builder good =
        Jwt.withTokenValue("token")
            .header("alg", "RS256")
            .subject("ann")
            .audience(List.of(CLIENT))
            .expiresAt(Instant.ofEpochMilli(NOW + 60_000))
            .claim("nonce", NONCE)
            .claim("asyncflow_roles", List.of("READER"));
    Jwt token = change.apply(good).build();
    return decoded(text -> token);
  }

  @Test
  void goodTokenProvesAPersonUntilItEnds() {
    Person ann = verify(good -> good).orElseThrow();
    assertThat(ann.caller().principal()).isEqualTo("oidc:" + ISSUER + "#ann");
    assertThat(ann.mayEnter()).isTrue();
    assertThat(ann.endsAt()).isEqualTo(NOW + 60_000);
    assertThat(verify(good -> good.claim("azp", CLIENT).audience(List.of(CLIENT, "another"))))
        .isPresent();
  }

  @Test
  void brokenRuleProvesNobodyAndTheLogSaysWhich(CapturedOutput output) {
    assertThat(verify(good -> good.claim("nonce", "of another log-in"))).isEmpty();
    assertThat(verify(good -> good.claims(claims -> claims.remove("nonce")))).isEmpty();
    assertThat(output).contains("its nonce is not the one of this log-in");
    assertThat(verify(good -> good.claim("azp", "another"))).isEmpty();
    assertThat(output).contains("its azp names another client");
    assertThat(verify(good -> good.audience(List.of(CLIENT, "another")))).isEmpty();
    assertThat(output).contains("no azp says for which one");
    assertThat(verify(good -> good.claims(claims -> claims.remove("exp")))).isEmpty();
    assertThat(output).contains("it has no exp");
    assertThat(verify(good -> good.subject("a name"))).isEmpty();
    assertThat(output).contains("its sub must be of visible ASCII");
    assertThat(
            decoded(
                token -> {
                  throw new BadJwtException("its signature is not good");
                }))
        .isEmpty();
    assertThat(output).contains("its signature is not good");
  }

  /** Bearers have a minute of grace for the clocks; a session would be over as it begins. */
  @Test
  void tokenThatHasEndedBeginsNoSessionHoweverLately(CapturedOutput output) {
    assertThat(verify(good -> good.expiresAt(Instant.ofEpochMilli(NOW)))).isEmpty();
    assertThat(verify(good -> good.expiresAt(Instant.ofEpochMilli(NOW - 30_000)))).isEmpty();
    assertThat(output).contains("it has expired");
    assertThat(verify(good -> good.expiresAt(Instant.ofEpochMilli(NOW + 1)))).isPresent();
  }

  @Test
  void keysThatCannotBeReadProveNothingAgainstAnybody() {
    assertThatExceptionOfType(FlowException.class)
        .isThrownBy(
            () ->
                decoded(
                    token -> {
                      throw new JwtException("the issuer's keys cannot be read");
                    }))
        .extracting(FlowException::errorCode)
        .isEqualTo(ErrorCode.UNAVAILABLE);
  }
}
