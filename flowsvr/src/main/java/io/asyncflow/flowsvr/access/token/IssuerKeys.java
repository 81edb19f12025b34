package io.asyncflow.flowsvr.access.token;

import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.jwk.source.JWKSetUnavailableException;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.IOException;
import java.net.URL;
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
  private static final int CONNECT_MS = 1_000;
  private static final int READ_MS = 1_000;
  private static final int MOST_BYTES = 256 * 1024;

  private final OidcProperties oidc;
  private final DefaultResourceRetriever http =
      new DefaultResourceRetriever(CONNECT_MS, READ_MS, MOST_BYTES);

  IssuerKeys(OidcProperties oidc) {
    this.oidc = oidc;
  }

  @Override
  public JWKSet getJWKSet(
      JWKSetCacheRefreshEvaluator refresh, long currentTime, SecurityContext context)
      throws KeySourceException {
    try {
      return JWKSet.parse(read(placeOfKeys()));
    } catch (IOException | ParseException e) {
      log.warn(
          "the keys of the issuer {} cannot be read, and its tokens are refused unless their keys"
              + " are known: {}",
          oidc.issuer(),
          e.toString());
      throw new JWKSetUnavailableException("the issuer's keys cannot be read", e);
    }
  }

  private URL placeOfKeys() throws IOException, ParseException {
    Map<String, Object> description =
        JSONObjectUtils.parse(read(OidcProperties.descriptionOf(oidc.issuer()).toURL()));
    String issuer = JSONObjectUtils.getString(description, "issuer");
    String place = JSONObjectUtils.getString(description, "jwks_uri");
    if (!oidc.issuer().equals(issuer)) {
      throw new IOException("it describes itself as the issuer " + issuer);
    }
    if (place == null || !OidcProperties.isSafe(place)) {
      throw new IOException("it has its keys at " + place + ", which is no https URL");
    }
    return new URL(place);
  }

  private String read(URL url) throws IOException {
    return http.retrieveResource(url).getContent();
  }

  @Override
  public void close() {
    // nothing stays open
  }
}
