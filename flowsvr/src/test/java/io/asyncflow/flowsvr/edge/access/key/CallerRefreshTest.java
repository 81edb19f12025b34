package io.asyncflow.flowsvr.edge.access.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;

class CallerRefreshTest {

  private static final String ISSUER = "https://issuer.example";
  private static final Caller ANN =
      new Caller(
          Caller.Kind.OIDC, Caller.ofIssuer(ISSUER) + "ann", Set.of(Role.OPERATOR), Scope.ALL);

  private final KnownKeys keys = mock();

  private CallerRefresh trusting(String issuer) {
    ObjectProvider<KnownKeys> provider = mock();
    when(provider.getIfAvailable()).thenReturn(keys);
    return new CallerRefresh(provider, "keys", "", issuer);
  }

  @Test
  void subjectOfTheIssuerGoesOnUnlessItIsDenied() {
    CallerRefresh callers = trusting(ISSUER);
    String granted = callers.granted(ANN);
    assertThat(callers.find(ANN.principal(), granted).orElseThrow().roles())
        .containsExactly(Role.OPERATOR);

    when(keys.isDenied(ANN.principal())).thenReturn(true);
    assertThat(callers.find(ANN.principal(), granted)).isEmpty();
  }

  @Test
  void subjectOfAnIssuerThatIsNotTrustedAnyMoreDoesNotGoOn() {
    String granted = trusting(ISSUER).granted(ANN);
    assertThat(trusting("https://another.example").find(ANN.principal(), granted)).isEmpty();
    assertThat(trusting("").find(ANN.principal(), granted)).isEmpty();
  }
}
