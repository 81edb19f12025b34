package io.asyncflow.flowsvr.edge.access.session;

import io.asyncflow.flowsvr.edge.access.Caller;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * The session of a request. Immutable.
 *
 * @param caller of the kind SESSION, with the rights of the one that logged in
 * @param expireTime epoch ms at which it ends, however much it is used
 */
public record OpenSession(SessionId id, Caller caller, long expireTime) {

  private static final String ATTRIBUTE = OpenSession.class.getName();

  /** The session by whose cookie the request was let in; {@code null} if it was not by a cookie. */
  public static OpenSession of(HttpServletRequest request) {
    return (OpenSession) request.getAttribute(ATTRIBUTE);
  }

  void noteOn(HttpServletRequest request) {
    request.setAttribute(ATTRIBUTE, this);
  }

  /** Names the session to what has to end with it; no secret. */
  public String name() {
    return HexFormat.of().formatHex(id.hash());
  }

  /** What requests of its pages send along if they change something. */
  public String csrfToken() {
    return id.csrfToken();
  }

  /**
   * @param sent {@code null} if the request has none
   */
  boolean isCsrfToken(String sent) {
    return sent != null
        && MessageDigest.isEqual(
            csrfToken().getBytes(StandardCharsets.US_ASCII), sent.getBytes(StandardCharsets.UTF_8));
  }
}
