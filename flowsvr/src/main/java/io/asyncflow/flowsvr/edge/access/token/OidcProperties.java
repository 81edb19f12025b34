package io.asyncflow.flowsvr.edge.access.token;

import io.asyncflow.flowsvr.base.system.BadSettingException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.function.Predicate;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The issuer whose tokens count, and as what this server is known to it where people log in.
 *
 * @param issuer its URL, as its tokens have it in {@code iss}; empty for none
 * @param audience what its tokens for this server have in {@code aud}
 * @param rolesClaim the claim that lists the roles
 * @param typesClaim the claim that lists the task types; empty if tokens are for all
 * @param usersClaim the claim that lists the users; empty if tokens are for all
 * @param clientId the name of this server at the issuer; empty if nobody logs in there
 * @param clientSecret what proves this server to the issuer
 * @param redirectUri where the issuer sends browsers back to, exactly as it is registered there
 * @param scope what of a person the issuer is asked for, with spaces
 */
@ConfigurationProperties("flow.oidc")
public record OidcProperties(
    String issuer,
    String audience,
    String rolesClaim,
    String typesClaim,
    String usersClaim,
    String clientId,
    String clientSecret,
    String redirectUri,
    String scope) {

  /**
   * Whether there is an issuer. An empty setting is none, which a condition of a property is not.
   */
  static final String IS_SET = "!environment.getProperty('flow.oidc.issuer', '').isBlank()";

  /** Leaves room for a subject in the names of callers. */
  private static final int LONGEST_ISSUER = 100;

  private static final String OPENID = "openid";

  /** The page of the console to which browsers come back. */
  private static final String RETURN = "/login/issuer/return";

  public OidcProperties {
    issuer = text(issuer);
    audience = text(audience);
    rolesClaim = text(rolesClaim).isEmpty() ? "asyncflow_roles" : text(rolesClaim);
    typesClaim = text(typesClaim);
    usersClaim = text(usersClaim);
    clientId = text(clientId);
    clientSecret = text(clientSecret);
    redirectUri = text(redirectUri);
    scope = text(scope).isEmpty() ? OPENID : text(scope);
  }

  private static String text(String value) {
    return value == null ? "" : value.strip();
  }

  /**
   * @throws BadSettingException if tokens could not be checked, or would not be safe
   */
  void check() {
    if (issuer.length() > LONGEST_ISSUER || !isSafe(issuer)) {
      throw new BadSettingException(
          "FLOW_OIDC_ISSUER must be an https URL of at most "
              + LONGEST_ISSUER
              + " characters without query and fragment, as the issuer's tokens have it in iss"
              + " (http is for 127.0.0.1 alone).");
    }
    if (audience.isEmpty()) {
      throw new BadSettingException(
          "FLOW_OIDC_AUDIENCE must be set with FLOW_OIDC_ISSUER: otherwise the issuer's tokens for"
              + " any other application would be good here, too.");
    }
  }

  /**
   * Checks the log-in of people.
   *
   * @param console the path of the console
   * @param isHere whether a host is this machine
   * @throws BadSettingException if nobody could log in, or others could see how
   */
  public void checkLogIn(String console, Predicate<String> isHere) {
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
    if (!isSafe(redirectUri, isHere)
        || !redirectUri.endsWith(console + RETURN)) { // a proxy may have put something before it
      throw new BadSettingException(
          "FLOW_OIDC_REDIRECT_URI must be the https URL of this server, and then "
              + console
              + RETURN
              + ", as it is registered at the issuer (http is for localhost alone).");
    }
  }

  /** Whether what is read from this URL can be believed. */
  public static boolean isSafe(String url) {
    return isSafe(url, "127.0.0.1"::equals);
  }

  /**
   * Whether this is a whole URL of https without query and fragment, or of http on this machine.
   *
   * @param isHere whether a host is this machine
   */
  private static boolean isSafe(String url, Predicate<String> isHere) {
    try {
      URI uri = new URI(url);
      return uri.getHost() != null
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null
          && uri.getRawUserInfo() == null
          && ("https".equals(uri.getScheme())
              || "http".equals(uri.getScheme()) && isHere.test(uri.getHost()));
    } catch (URISyntaxException e) {
      return false;
    }
  }

  /** Where an issuer describes itself. */
  public static URI descriptionOf(String issuer) {
    String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
    return URI.create(base + "/.well-known/openid-configuration");
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "OidcProperties[issuer=" + issuer + "]";
  }
}
