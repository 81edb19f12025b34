package io.asyncflow.flowsvr.access.token;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.SecurityContext;
import io.asyncflow.flowsvr.system.concurrent.DaemonThreads;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

/** Verifies what the issuer has signed. Its keys are read once for all. Thread-safe. */
final class IssuerSignatures implements AutoCloseable {

  private static final Duration KEYS_LIFE = Duration.ofMinutes(5);
  private static final Duration KEYS_AHEAD = Duration.ofSeconds(30);

  /** For this long the last keys stay good while the issuer does not answer. */
  private static final Duration KEYS_OUTAGE = Duration.ofHours(4);

  /** How long requests wait for keys that another request reads. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** Anybody can send tokens with made-up key ids: twice in this time the issuer is asked. */
  private static final Duration ASK_PAUSE = Duration.ofSeconds(10);

  private final ExecutorService refresher = DaemonThreads.pool(1, "issuer-keys");
  private final IssuerKeys issuer;
  private final JWKSource<SecurityContext> keys;

  IssuerSignatures(OidcProperties oidc) {
    this.issuer = new IssuerKeys(oidc);
    this.keys =
        JWKSourceBuilder.create(issuer)
            .cache(KEYS_LIFE.toMillis(), PATIENCE.toMillis())
            .refreshAheadCache(KEYS_AHEAD.toMillis(), null, refresher, false, null, false)
            .rateLimited(ASK_PAUSE.toMillis())
            .outageTolerant(KEYS_OUTAGE.toMillis())
            .build();
  }

  /** Whether a token whose key is not found may be good all the same. */
  boolean mayMissKeys() {
    return !issuer.wereRead();
  }

  /** Reads tokens that follow these rules, and no others. */
  NimbusJwtDecoder decoder(List<OAuth2TokenValidator<Jwt>> rules) {
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
    decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<>(rules));
    return decoder;
  }

  @Override
  public void close() {
    refresher.shutdown();
  }
}
