package io.asyncflow.flowsvr.access.token;

import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.IOException;
import java.net.URI;
import java.text.ParseException;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the issuer's public keys: first where they are, then the keys. Nimbus calls this seldom,
 * and keeps what it got. Thread-safe.
 */
class IssuerKeys implements JWKSetSource<SecurityContext> {

  private static final Logger log = LoggerFactory.getLogger(IssuerKeys.class);

  private final OidcProperties oidc;
  private final IssuerHttp http = new IssuerHttp();
  private volatile boolean wereRead;

  IssuerKeys(OidcProperties oidc) {
    this.oidc = oidc;
  }

  /** Whether they could be read when Nimbus wanted them last. */
  boolean wereRead() {
    return wereRead;
  }

  @Override
  public JWKSet getJWKSet(
      JWKSetCacheRefreshEvaluator refresh, long currentTime, SecurityContext context)
      throws KeySourceException {
    try {
      JWKSet keys = JWKSet.parse(http.read(placeOfKeys()));
      wereRead = true;
      return keys;
    } catch (IOException | ParseException e) {
      wereRead = false;
      log.warn(
          "the keys of the issuer {} cannot be read, and only tokens whose keys are known count:"
              + " {}",
          oidc.issuer(),
          e.toString());
      throw new JWKSetUnavailableException("the issuer's keys cannot be read", e);
    }
  }

  private URI placeOfKeys() throws IOException, ParseException {
    Map<String, Object> description =
        JSONObjectUtils.parse(http.read(OidcProperties.descriptionOf(oidc.issuer())));
    String issuer = JSONObjectUtils.getString(description, "issuer");
    String place = JSONObjectUtils.getString(description, "jwks_uri");
    if (!oidc.issuer().equals(issuer)) {
      throw new IOException("it describes itself as the issuer " + issuer);
    }
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
