package io.asyncflow.console;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.springframework.web.util.WebUtils;

/**
 * The act that an operator did just now. It goes to the next page in a cookie, which that page
 * takes away: an address could say the same of what was not done.
 */
public final class Done {

  private static final String COOKIE = "asyncflow_done";
  private static final String KEY = "[a-z_]{1,30}";

  /** Long enough for the redirect. */
  private static final Duration SHORT = Duration.ofSeconds(10);

  private Done() {}

  /** Whether the page follows an act, so that it has to show what the act changed. */
  public static boolean isOf(HttpServletRequest request) {
    return keyIn(request).isPresent();
  }

  /** The key of the act; empty if the page follows none. */
  public static Optional<String> keyIn(HttpServletRequest request) {
    Cookie cookie = WebUtils.getCookie(request, COOKIE);
    boolean isLook = request.getMethod().equals("GET") && !Live.isIn(request);
    return Optional.ofNullable(isLook && cookie != null ? cookie.getValue() : null)
        .filter(key -> key.matches(KEY));
  }

  /**
   * The header that tells the next page.
   *
   * @param base the path of the console
   */
  public static String cookie(String base, String key) {
    return of(base, key, SHORT);
  }

  /** Takes it away from a page that shows it. */
  public static void forget(HttpServletRequest request, HttpServletResponse response, String base) {
    if (isOf(request)) {
      response.addHeader(HttpHeaders.SET_COOKIE, of(base, "", Duration.ZERO));
    }
  }

  private static String of(String base, String key, Duration maxAge) {
    return ResponseCookie.from(COOKIE, key)
        .path(base)
        .httpOnly(true)
        .sameSite("Strict")
        .maxAge(maxAge)
        .build()
        .toString();
  }
}
