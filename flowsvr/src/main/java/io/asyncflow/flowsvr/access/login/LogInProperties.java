package io.asyncflow.flowsvr.access.login;

import io.asyncflow.flowsvr.access.site.RequestSite;
import io.asyncflow.flowsvr.access.token.OidcProperties;
import io.asyncflow.flowsvr.system.BadSettingException;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * As what this server is known to the issuer where people log in.
 *
 * @param issuer its URL, as {@code FLOW_OIDC_ISSUER} has it
 * @param clientId the name of this server at the issuer; empty if nobody logs in there
 * @param clientSecret what proves this server to the issuer
 * @param redirectUri where the issuer sends browsers back to, exactly as it is registered there
 * @param scope what of a person the issuer is asked for, with spaces
 */
@ConfigurationProperties("flow.oidc")
record LogInProperties(
    String issuer, String clientId, String clientSecret, String redirectUri, String scope) {

  private static final String OPENID = "openid";

  /** The page of the console to which browsers come back. */
  private static final String RETURN = "/login/issuer/return";

  LogInProperties {
    issuer = text(issuer);
    clientId = text(clientId);
    clientSecret = text(clientSecret);
    redirectUri = text(redirectUri);
    scope = text(scope).isEmpty() ? OPENID : text(scope);
  }

  private static String text(String value) {
    return value == null ? "" : value.strip();
  }

  /**
   * @param console the path of the console
   * @throws BadSettingException if nobody could log in, or others could see how
   */
  void check(String console) {
    if (issuer.isEmpty()) {
      throw new BadSettingException("FLOW_OIDC_CLIENT_ID needs FLOW_OIDC_ISSUER, where it is one.");
    }
    if (clientSecret.isEmpty()) {
      throw new BadSettingException(
          "FLOW_OIDC_CLIENT_ID needs FLOW_OIDC_CLIENT_SECRET, with which the issuer knows this"
              + " server.");
    }
    if (!List.of(scope.split(" +")).contains(OPENID)) {
      throw new BadSettingException(
          "FLOW_OIDC_SCOPE must have openid in it: otherwise the issuer says not who logged in.");
    }
    if (!OidcProperties.isSafe(redirectUri, RequestSite::isLoopback)
        || !redirectUri.endsWith(console + RETURN)) { // a proxy may have put something before it
      throw new BadSettingException(
          "FLOW_OIDC_REDIRECT_URI must be the https URL of this server, and then "
              + console
              + RETURN
              + ", as it is registered at the issuer (http is for localhost alone).");
    }
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "LogInProperties[clientId=" + clientId + "]";
  }
}
