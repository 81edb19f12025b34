package io.asyncflow.flowsvr.edge.access.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.key.CallerRefresh;
import io.asyncflow.flowsvr.edge.access.key.KnownKeys;
import io.asyncflow.rules.access.KeySeals;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;

/** Sessions of a server in mode {@code key}, which knows no other key than that one. */
class SessionCallersTest {

  private static final SessionId ID = SessionId.random();
  private static final String ENVIRONMENT = "env:FLOW_API_KEY";

  private static SessionCallers with(String environmentKey) {
    ObjectProvider<KnownKeys> none = mock();
    return with(none, environmentKey, "");
  }

  private static SessionCallers with(
      ObjectProvider<KnownKeys> keys, String environmentKey, String issuer) {
    return new SessionCallers(
        new CallerRefresh(keys, "", environmentKey, issuer), KeySeals.OFF, environmentKey);
  }

  private static SessionRow row(String principal, String granted) {
    return SessionRow.begin(ID, principal, granted, 5_000_000, Long.MAX_VALUE);
  }

  @Test
  void anotherKeyInTheEnvironmentEndsTheSessionsOfTheOneBefore() {
    SessionRow row = row(ENVIRONMENT, null);
    byte[] seal = with("the key of yesterday").seal(row, ID);
    assertThat(with("the key of yesterday").find(row, ID, seal))
        .get()
        .extracting(Caller::kind)
        .isEqualTo(Caller.Kind.SESSION);
    assertThat(with("the key of today").find(row, ID, seal)).isEmpty();
    assertThat(with("").find(row, ID, seal)).as("without a key").isEmpty();
    assertThat(with("the key of yesterday").find(row, ID, null)).isEmpty();
    assertThat(with("the key of yesterday").find(row, SessionId.random(), seal)).isEmpty();
  }

  @Test
  void sessionsOfAccessKeysAndTokensAreForModeKeys() {
    assertThat(with("any key").find(row("key:3Qm81LtzGh", null), ID, null)).isEmpty();
    assertThat(with("any key").find(row("oidc:https://i.example#ann", "{}"), ID, null)).isEmpty();
    assertThat(with("any key").isLive("local")).isFalse();
  }

  @Test
  void issuerThatIsTrustedNoMoreEndsTheSessionsOfItsTokens() {
    ObjectProvider<KnownKeys> known = mock();
    when(known.getIfAvailable()).thenReturn(mock(KnownKeys.class));
    for (String issuer : List.of("", "https://another.example", "https://i.exampl")) {
      SessionCallers callers = with(known, "", issuer);
      assertThat(callers.isLive("oidc:https://i.example#ann")).as(issuer).isFalse();
    }
    assertThat(with(known, "", "https://i.example").isLive("oidc:https://i.example#ann")).isTrue();
  }
}
