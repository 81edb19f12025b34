package io.asyncflow.flowsvr.edge.access.token;

import com.github.benmanes.caffeine.cache.Cache;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.flowsvr.base.system.BadSettingException;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.Sha256;
import io.asyncflow.flowsvr.base.system.concurrent.RecentValues;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.key.KnownKeys;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtAudienceValidator;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.JwtTypeValidator;
import org.springframework.security.oauth2.jwt.JwtValidationException;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.stereotype.Component;

/**
 * The callers that tokens of the issuer prove. A token is verified once a minute, and remembered in
 * between. Thread-safe.
 */
@Component
@ConditionalOnExpression(OidcProperties.IS_SET)
public class Tokens {

  private static final Logger log = LoggerFactory.getLogger(Tokens.class);

  /** What the clocks of issuer and database may differ by. */
  private static final Duration SKEW = Duration.ofMinutes(1);

  /** A token cannot be taken back, so none may live for long. */
  private static final Duration LONGEST_LIFE = Duration.ofHours(1);

  private static final Duration REMEMBERED = Duration.ofMinutes(1);
  private static final int MOST_REMEMBERED = 10_000;

  /** Anybody can make up key ids, for which the issuer is asked while a thread waits. */
  private static final int MOST_VERIFYING = 32;

  private final OidcProperties oidc;
  private final KnownKeys keys;
  private final Node node;
  private final TokenGrant grant;
  private final TrustedIssuer issuer;
  private final NimbusJwtDecoder decoder;
  private final Semaphore verifying = new Semaphore(MOST_VERIFYING);
  private final Cache<ByteBuffer, Caller> verified;

  /**
   * @throws BadSettingException if tokens could not be checked, or would not be safe
   */
  Tokens(OidcProperties oidc, ObjectProvider<KnownKeys> keys, Node node) {
    this.keys = keys.getIfAvailable();
    if (this.keys == null) {
      throw new BadSettingException(
          "FLOW_OIDC_ISSUER needs FLOW_ACCESS=keys: without it, FLOW_API_KEY alone opens the"
              + " server.");
    }
    oidc.check();
    this.oidc = oidc;
    this.node = node;
    this.grant = new TokenGrant(oidc);
    this.issuer = new TrustedIssuer(oidc, node);
    this.decoder =
        issuer.decoder(
            new DelegatingOAuth2TokenValidator<>(
                this::endsSoon, rules(oidc.audience(), "JWT", "at+jwt")));
    this.verified = RecentValues.of(REMEMBERED, MOST_REMEMBERED, node);
  }

  /** The rules of tokens for an audience. */
  private OAuth2TokenValidator<Jwt> rules(String audience, String... types) {
    JwtTypeValidator ofTypes = new JwtTypeValidator(List.of(types));
    ofTypes.setAllowEmpty(true);
    return new DelegatingOAuth2TokenValidator<>(
        times(),
        ofTypes,
        new JwtIssuerValidator(oidc.issuer()),
        new JwtAudienceValidator(audience));
  }

  private OAuth2TokenValidator<Jwt> times() {
    JwtTimestampValidator times = new JwtTimestampValidator(SKEW);
    InstantSource database = () -> Instant.ofEpochMilli(keys.now()); // as keys expire
    times.setClock(database.withZone(ZoneOffset.UTC));
    return times;
  }

  /** The issuer of the tokens. */
  public TrustedIssuer issuer() {
    return issuer;
  }

  /** Reads the tokens that say who has logged in with a client of the issuer. */
  public IdTokens ofPeople(String clientId) {
    return new IdTokens(clientId, issuer.decoder(rules(clientId, "JWT")), grant, keys);
  }

  private OAuth2TokenValidatorResult endsSoon(Jwt token) {
    Instant end = token.getExpiresAt();
    long latest = keys.now() + LONGEST_LIFE.plus(SKEW).toMillis();
    return end == null || end.toEpochMilli() > latest
        ? OAuth2TokenValidatorResult.failure(
            new OAuth2Error("invalid_token", "it must have an exp, at most an hour ahead", null))
        : OAuth2TokenValidatorResult.success();
  }

  /**
   * The caller that a bearer token proves; {@code null} if it proves none.
   *
   * @param token {@code null} if the request has none
   * @throws FlowException if the issuer has signed it, and it is refused all the same
   */
  public Caller find(String token) {
    if (token == null || !isOfThreeParts(token)) {
      return null;
    }
    ByteBuffer digest = ByteBuffer.wrap(Sha256.of(token.getBytes(StandardCharsets.UTF_8)));
    Caller known = verified.getIfPresent(digest);
    if (known == null || node.nanoTime() - known.endNanos() >= 0) {
      known = verify(token);
      if (known == null) {
        return null;
      }
      verified.put(digest, known);
    }
    return keys.isDenied(known.principal()) ? null : known;
  }

  private static boolean isOfThreeParts(String token) {
    return token.chars().filter(c -> c == '.').count() == 2;
  }

  private Caller verify(String token) {
    if (!verifying.tryAcquire()) {
      throw new FlowException(ErrorCode.UNAVAILABLE, "too many tokens are verified at once");
    }
    try {
      Jwt jwt = decoder.decode(token);
      long endsAt = jwt.getExpiresAt().toEpochMilli() + SKEW.toMillis();
      long left = TimeUnit.MILLISECONDS.toNanos(endsAt - keys.now());
      return grant.callerOf(jwt).until(node.nanoTime() + left);
    } catch (JwtValidationException e) { // its signature is good, so its owner is told
      throw new FlowException(
          ErrorCode.NOT_AUTHENTICATED,
          "the token is refused: " + e.getErrors().iterator().next().getDescription());
    } catch (JwtException e) {
      log.debug("a token proves no caller: {}", e.getMessage());
      if (!(e instanceof BadJwtException) && issuer.mayMissKeys()) {
        throw new FlowException(
            ErrorCode.UNAVAILABLE, "the issuer's keys cannot be read, so no token can be verified");
      }
      return null;
    } finally {
      verifying.release();
    }
  }
}
