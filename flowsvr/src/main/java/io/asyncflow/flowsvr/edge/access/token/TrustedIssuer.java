package io.asyncflow.flowsvr.edge.access.token;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.JSONObjectUtils;
import io.asyncflow.flowsvr.base.system.Node;
import io.asyncflow.flowsvr.base.system.concurrent.DaemonThreads;
import java.io.IOException;
import java.net.URI;
import java.text.ParseException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

/**
 * What the issuer says of itself, and its public keys. Both are read together, and Nimbus decides
 * when: it reads them again before they are old, asks seldom whatever comes, lets few wait for it,
 * and keeps the keys while the issuer does not answer. Thread-safe.
 */
public final class TrustedIssuer {

  private static final Logger log = LoggerFactory.getLogger(TrustedIssuer.class);

  private static final Duration LIFE = Duration.ofMinutes(5);
  private static final Duration AHEAD = Duration.ofSeconds(30);

  /** For this long the last keys stay good while the issuer does not answer. */
  private static final Duration OUTAGE = Duration.ofHours(4);

  /** How long requests wait for what another request reads. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** Anybody can send tokens with made-up key ids: twice in this time the issuer is asked. */
  private static final Duration ASK_PAUSE = Duration.ofSeconds(10);

  private static final JWKSelector ANY_KEY = new JWKSelector(new JWKMatcher.Builder().build());

  private final OidcProperties oidc;
  private final Node node;
  private final IssuerHttp http = new IssuerHttp();
  private final JWKSource<SecurityContext> keys =
      JWKSourceBuilder.create(new Reader())
          .cache(LIFE.toMillis(), PATIENCE.toMillis())
          .refreshAheadCache(
              AHEAD.toMillis(), null, DaemonThreads.pool(1, "issuer-keys"), false, null, false)
          .rateLimited(ASK_PAUSE.toMillis())
          .outageTolerant(OUTAGE.toMillis())
          .build();
  private volatile boolean wereKeysRead;
  private volatile Description description;

  /**
   * @param json as the issuer has sent it
   * @param readAt nanoseconds of the monotonic clock
   */
  private record Description(String json, long readAt) {}

  TrustedIssuer(OidcProperties oidc, Node node) {
    this.oidc = oidc;
    this.node = node;
  }

  /** Whether a token whose key is not found may be good all the same. */
  boolean mayMissKeys() {
    return !wereKeysRead;
  }

  /** What the issuer says of itself, if nobody needs to wait for it. */
  public Optional<String> readyDescription() {
    return Optional.ofNullable(description)
        .filter(known -> node.nanoTime() - known.readAt() < LIFE.toNanos())
        .map(Description::json);
  }

  /** What it says, read now if need be, or what it said last; empty if it was never read. */
  public Optional<String> description() {
    try {
      keys.get(ANY_KEY, null);
    } catch (KeySourceException e) {
      log.debug("the issuer is not asked now: {}", e.getMessage());
    }
    return Optional.ofNullable(description).map(Description::json);
  }

  /** Reads tokens that follow these rules, and no others. */
  NimbusJwtDecoder decoder(OAuth2TokenValidator<Jwt> rules) {
    NimbusJwtDecoder decoder =
        NimbusJwtDecoder.withJwkSource(keys)
            .jwtProcessorCustomizer(
                processor -> {
                  processor.setJWSKeySelector(
                      new Ed25519.Keys(
                          Set.of(
                              JWSAlgorithm.RS256,
                              JWSAlgorithm.ES256,
                              JWSAlgorithm.Ed25519,
                              JWSAlgorithm.EdDSA),
                          keys));
                  processor.setJWSVerifierFactory(new Ed25519.Verifiers());
                })
            .build();
    decoder.setJwtValidator(rules);
    return decoder;
  }

  /** Reads first where the keys are, and then the keys. */
  private final class Reader implements JWKSetSource<SecurityContext> {

    @Override
    public JWKSet getJWKSet(
        JWKSetCacheRefreshEvaluator refresh, long currentTime, SecurityContext context)
        throws KeySourceException {
      try {
        JWKSet read = JWKSet.parse(http.read(placeOfKeys()));
        wereKeysRead = true;
        return read;
      } catch (IOException | ParseException e) {
        wereKeysRead = false;
        log.warn(
            "the keys of the issuer {} cannot be read, and only tokens whose keys are known count:"
                + " {}",
            oidc.issuer(),
            e.toString());
        throw new JWKSetUnavailableException("the issuer's keys cannot be read", e);
      }
    }

    private URI placeOfKeys() throws IOException, ParseException {
      String json = http.read(OidcProperties.descriptionOf(oidc.issuer()));
      Map<String, Object> read = JSONObjectUtils.parse(json);
      String issuer = JSONObjectUtils.getString(read, "issuer");
      String place = JSONObjectUtils.getString(read, "jwks_uri");
      if (!oidc.issuer().equals(issuer)) {
        throw new IOException("it describes itself as the issuer " + issuer);
      }
      description = new Description(json, node.nanoTime());
      if (place == null || !OidcProperties.isSafe(place)) {
        throw new IOException("it has its keys at " + place + ", which is no https URL");
      }
      return URI.create(place);
    }

    @Override
    public void close() {
      // nothing stays open
    }
  }
}
