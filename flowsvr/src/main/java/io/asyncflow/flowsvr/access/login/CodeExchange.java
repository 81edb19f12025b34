package io.asyncflow.flowsvr.access.login;

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
import io.asyncflow.flowsvr.access.token.IssuerHttp;
import io.asyncflow.flowsvr.system.Node;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Exchanges a code for the token of the person who has logged in. Thread-safe. */
final class CodeExchange {

  private static final Logger log = LoggerFactory.getLogger(CodeExchange.class);

  /** Anybody can make up codes. */
  private static final long LOG_PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERROR = 500;

  private final LogInProperties client;
  private final IssuerHttp http;
  private final Node node;
  private final AtomicLong nextLog;

  CodeExchange(LogInProperties client, IssuerHttp http, Node node) {
    this.client = client;
    this.http = http;
    this.node = node;
    this.nextLog = new AtomicLong(node.nanoTime());
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
      throw new FlowException(
          ErrorCode.UNAVAILABLE, "the issuer, at which you log in, does not answer");
    }
    return Optional.empty();
  }

  private void warn(String why) {
    long next = nextLog.get();
    long now = node.nanoTime();
    if (now - next >= 0 && nextLog.compareAndSet(next, now + LOG_PAUSE_NANOS)) {
      log.warn("the issuer gives no token for the code of a log-in: {}", why);
    } else {
      log.debug("the issuer gives no token for the code of a log-in: {}", why);
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
