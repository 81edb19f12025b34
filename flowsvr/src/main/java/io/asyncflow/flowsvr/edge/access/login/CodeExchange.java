package io.asyncflow.flowsvr.edge.access.login;

import com.nimbusds.oauth2.sdk.AuthorizationCode;
import com.nimbusds.oauth2.sdk.AuthorizationCodeGrant;
import com.nimbusds.oauth2.sdk.ParseException;
import com.nimbusds.oauth2.sdk.TokenRequest;
import com.nimbusds.oauth2.sdk.TokenResponse;
import com.nimbusds.oauth2.sdk.as.AuthorizationServerMetadata;
import com.nimbusds.oauth2.sdk.auth.ClientAuthentication;
import com.nimbusds.oauth2.sdk.auth.ClientAuthenticationMethod;
import com.nimbusds.oauth2.sdk.auth.ClientSecretBasic;
import com.nimbusds.oauth2.sdk.auth.ClientSecretPost;
import com.nimbusds.oauth2.sdk.auth.Secret;
import com.nimbusds.oauth2.sdk.http.HTTPResponse;
import com.nimbusds.oauth2.sdk.id.ClientID;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponse;
import com.nimbusds.openid.connect.sdk.OIDCTokenResponseParser;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.edge.access.token.IssuerHttp;
import io.asyncflow.flowsvr.edge.access.token.OidcProperties;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Exchanges a code at the issuer for the token of the person who has logged in. Thread-safe. */
final class CodeExchange {

  private static final Logger log = LoggerFactory.getLogger(CodeExchange.class);

  /** Anybody can make up codes. */
  private static final long LOG_PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;

  private final OidcProperties client;
  private final IssuerHttp http;
  private final Node node;
  private final AtomicLong nextLog;

  CodeExchange(OidcProperties client, IssuerHttp http, Node node) {
    this.client = client;
    this.http = http;
    this.node = node;
    this.nextLog = new AtomicLong(node.nanoTime());
  }

  /**
   * Where people log in, and where codes are exchanged.
   *
   * @param description what the issuer says of itself; empty if it was never read
   * @throws FlowException if nobody can log in there
   */
  AuthorizationServerMetadata endpointsIn(Optional<String> description) {
    try {
      if (description.isPresent()) {
        AuthorizationServerMetadata issuer = AuthorizationServerMetadata.parse(description.get());
        String page = String.valueOf(issuer.getAuthorizationEndpointURI());
        requireSafe("page to log in", page.replaceFirst("[?].*", ""));
        requireSafe("token endpoint", String.valueOf(issuer.getTokenEndpointURI()));
        return issuer;
      }
    } catch (ParseException e) {
      warn("what it says of itself cannot be used: " + e.getMessage());
    }
    throw noAnswer();
  }

  private static void requireSafe(String what, String place) throws ParseException {
    if (!OidcProperties.isSafe(place)) {
      throw new ParseException("its " + what + " is " + place + ", which is no https URL");
    }
  }

  private static FlowException noAnswer() {
    return new FlowException(
        ErrorCode.UNAVAILABLE, "the issuer, at which you log in, does not answer");
  }

  /**
   * The ID token for a code; empty if the issuer gives none for it.
   *
   * @throws FlowException if the issuer does not answer, or not now
   */
  Optional<String> exchange(
      AuthorizationServerMetadata issuer, AuthorizationCode code, String verifier) {
    TokenRequest request =
        new TokenRequest.Builder(
                issuer.getTokenEndpointURI(),
                proofOf(issuer),
                new AuthorizationCodeGrant(
                    code, URI.create(client.redirectUri()), new CodeVerifier(verifier)))
            .build();
    try {
      HTTPResponse sent = http.send(request.toHTTPRequest());
      if (sent.getStatusCode() >= SERVER_ERROR || sent.getStatusCode() == TOO_MANY_REQUESTS) {
        throw new IOException("it answers " + sent.getStatusCode());
      }
      TokenResponse answer = OIDCTokenResponseParser.parse(sent);
      if (answer instanceof OIDCTokenResponse tokens && tokens.getOIDCTokens() != null) {
        return Optional.ofNullable(tokens.getOIDCTokens().getIDTokenString());
      }
      warn(
          answer.indicatesSuccess()
              ? "it answers without an id_token"
              : "it answers " + answer.toErrorResponse().getErrorObject().getCode());
    } catch (ParseException e) {
      warn("its answer cannot be read: " + e.getMessage());
    } catch (IOException e) {
      warn(e.toString());
      throw noAnswer();
    }
    return Optional.empty();
  }

  private void warn(String why) {
    long next = nextLog.get();
    long now = node.nanoTime();
    if (now - next >= 0 && nextLog.compareAndSet(next, now + LOG_PAUSE_NANOS)) {
      log.warn("a log-in at the issuer fails: {}", why);
    } else {
      log.debug("a log-in at the issuer fails: {}", why);
    }
  }

  /** In a header, as is the rule, unless the issuer wants the secret among the fields. */
  private ClientAuthentication proofOf(AuthorizationServerMetadata issuer) {
    ClientID id = new ClientID(client.clientId());
    Secret secret = new Secret(client.clientSecret());
    List<ClientAuthenticationMethod> ways = issuer.getTokenEndpointAuthMethods();
    return ways == null
            || ways.contains(ClientAuthenticationMethod.CLIENT_SECRET_BASIC)
            || !ways.contains(ClientAuthenticationMethod.CLIENT_SECRET_POST)
        ? new ClientSecretBasic(id, secret)
        : new ClientSecretPost(id, secret);
  }
}
