package io.asyncflow.flowsvr.edge.access.login;

import com.nimbusds.oauth2.sdk.AuthorizationCode;
import com.nimbusds.oauth2.sdk.ParseException;
import com.nimbusds.oauth2.sdk.ResponseType;
import com.nimbusds.oauth2.sdk.Scope;
import com.nimbusds.oauth2.sdk.as.AuthorizationServerMetadata;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.id.Issuer;
import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.oauth2.sdk.pkce.CodeChallengeMethod;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.openid.connect.sdk.AuthenticationRequest;
import com.nimbusds.openid.connect.sdk.AuthenticationResponse;
import com.nimbusds.openid.connect.sdk.AuthenticationResponseParser;
import com.nimbusds.openid.connect.sdk.Nonce;
import io.asyncflow.api.FlowException;
import io.asyncflow.console.IssuerLogIn.Reason;
import io.asyncflow.console.IssuerLogIn.RefusedException;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.key.KnownKeys;
import io.asyncflow.flowsvr.edge.access.site.RequestSite;
import io.asyncflow.flowsvr.edge.access.token.IdTokens;
import io.asyncflow.flowsvr.edge.access.token.IdTokens.Person;
import io.asyncflow.flowsvr.edge.access.token.IssuerHttp;
import io.asyncflow.flowsvr.edge.access.token.OidcProperties;
import io.asyncflow.flowsvr.edge.access.token.Tokens;
import io.asyncflow.flowsvr.edge.access.token.TrustedIssuer;
import io.asyncflow.rules.access.KeySeals;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.stereotype.Component;

/**
 * The log-ins of people at the issuer: authorization code flow with PKCE. What a server needs to
 * finish one comes with the browser. Thread-safe.
 */
@Component
@ConditionalOnExpression(IssuerLogIns.IS_SET)
public class IssuerLogIns {

  /** Whether people log in at the issuer. */
  public static final String IS_SET =
      "!environment.getProperty('flow.oidc.client-id', '').isBlank()";

  /** For how long somebody may be at the issuer's page. */
  public static final Duration LONGEST = Duration.ofMinutes(10);

  private final OidcProperties client;
  private final TrustedIssuer issuer;
  private final CodeExchange exchange;
  private final IdTokens tokens;
  private final KnownKeys keys;
  private final LogInSeal seal;
  private final IssuerShare share;

  IssuerLogIns(
      OidcProperties client,
      ObjectProvider<Tokens> verified,
      ObjectProvider<KnownKeys> keys,
      KeySeals peppers,
      Node node,
      @Value("${asyncflow.console.path:/console}") String console,
      @Value("${flow.tls.mode:}") String tls,
      @Value("${server.forward-headers-strategy:none}") String forwarded) {
    client.checkLogIn(console, RequestSite::isLoopback); // before what is there only with an issuer
    Tokens ofIssuer = verified.getObject();
    boolean knowsNetworks =
        !tls.strip().equals("proxy") || !forwarded.strip().equalsIgnoreCase("none");
    this.client = client;
    this.issuer = ofIssuer.issuer();
    this.exchange = new CodeExchange(client, new IssuerHttp(), node);
    this.tokens = ofIssuer.ofPeople(client.clientId());
    this.keys = keys.getObject();
    this.seal = new LogInSeal(peppers, client.clientSecret());
    this.share = new IssuerShare(node, knowsNetworks);
  }

  /**
   * A log-in that has begun.
   *
   * @param address the issuer's page
   * @param kept what the browser has to bring back
   */
  public record Begun(URI address, String kept) {}

  /**
   * A log-in that has succeeded.
   *
   * @param endsAt when the issuer wants to be asked again, epoch ms
   * @param to the page that was asked for
   */
  public record Finished(Caller caller, long endsAt, String to) {}

  /**
   * @param address of the browser
   * @throws FlowException if the issuer does not answer
   */
  public Begun begin(String to, String address) {
    AuthorizationServerMetadata at = endpoints(address);
    PendingLogIn logIn = PendingLogIn.begin(to, keys.now() + LONGEST.toMillis());
    AuthenticationRequest request =
        new AuthenticationRequest.Builder(
                ResponseType.CODE,
                Scope.parse(client.scope()),
                new ClientID(client.clientId()),
                URI.create(client.redirectUri()))
            .endpointURI(at.getAuthorizationEndpointURI())
            .state(new State(logIn.state()))
            .nonce(new Nonce(logIn.nonce()))
            .codeChallenge(new CodeVerifier(logIn.verifier()), CodeChallengeMethod.S256)
            .build();
    return new Begun(request.toURI(), seal.seal(logIn));
  }

  /** Where people log in, and where codes are exchanged. Nothing is asked while it is known. */
  private AuthorizationServerMetadata endpoints(String address) {
    Optional<String> known = issuer.readyDescription();
    return exchange.endpointsIn(
        known.isPresent() ? known : share.ask(address, issuer::description));
  }

  /**
   * @param answer the fields with which the issuer sent the browser back
   * @param kept what the browser has kept
   * @param address of the browser
   * @throws FlowException if the issuer does not answer, or the browser's network has tried too
   *     often
   */
  public Finished finish(Map<String, List<String>> answer, Optional<String> kept, String address)
      throws RefusedException {
    PendingLogIn logIn =
        kept.flatMap(seal::open)
            .filter(pending -> keys.now() < pending.endsAt())
            .orElseThrow(() -> new RefusedException(Reason.STALE));
    AuthenticationResponse response = parse(answer);
    if (!logIn.isState(response.getState())) {
      throw new RefusedException(Reason.STALE);
    }
    try {
      return finish(logIn, response, address);
    } catch (RefusedException e) {
      throw new RefusedException(e.reason(), logIn.to());
    }
  }

  private Finished finish(PendingLogIn logIn, AuthenticationResponse response, String address)
      throws RefusedException {
    AuthorizationServerMetadata at = endpoints(address);
    AuthorizationCode code = codeIn(response, at);
    Person person =
        share.tryWith(
            address,
            () ->
                exchange
                    .exchange(at, code, logIn.verifier())
                    .flatMap(token -> tokens.verify(token, logIn.nonce()))
                    .orElseThrow(() -> new RefusedException(Reason.UNPROVEN)));
    if (!person.mayEnter()) {
      throw new RefusedException(Reason.NO_RIGHTS);
    }
    return new Finished(person.caller(), person.endsAt(), logIn.to());
  }

  private AuthenticationResponse parse(Map<String, List<String>> answer) throws RefusedException {
    try {
      if (answer.values().stream().anyMatch(values -> values.size() > 1)) {
        throw new RefusedException(Reason.STALE);
      }
      return AuthenticationResponseParser.parse(URI.create(client.redirectUri()), answer);
    } catch (ParseException | IllegalArgumentException e) { // such as a code of blanks
      throw new RefusedException(Reason.STALE);
    }
  }

  private AuthorizationCode codeIn(AuthenticationResponse response, AuthorizationServerMetadata at)
      throws RefusedException {
    Issuer from = response.getIssuer();
    if (from == null
        ? at.supportsAuthorizationResponseIssuerParam()
        : !from.getValue().equals(client.issuer())) {
      throw new RefusedException(Reason.UNPROVEN);
    }
    if (!response.indicatesSuccess()) {
      throw new RefusedException(Reason.DECLINED);
    }
    AuthorizationCode code = response.toSuccessResponse().getAuthorizationCode();
    if (code == null) {
      throw new RefusedException(Reason.UNPROVEN);
    }
    return code;
  }
}
