package io.asyncflow.console.frame;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.console.Done;
import io.asyncflow.console.Live;
import io.asyncflow.console.OpenToAll;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Tells browsers to run nothing but our scripts on our pages, and refuses forms that do not come
 * from a page of the operator's session.
 */
public class PageGuard implements HandlerInterceptor {

  /** No inline script, no inline style, and no text that becomes HTML but by our one policy. */
  static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self';"
          + " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types asyncflow";

  /**
   * Of the news of an open page, which a script reads: no window shows them, and they are asked for
   * every few seconds, so they have the shortest.
   */
  static final String POLICY_OF_NEWS = "default-src 'none'; frame-ancestors 'none'";

  private final Frames frames;

  public PageGuard(Frames frames) {
    this.frames = frames;
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    setPolicy(request, response);
    Done.forget(request, response, frames.urls(request).base());
    if (request.getMethod().equals("POST") && !isOpenToAll(handler)) {
      requireOwnForm(request);
    }
    return true;
  }

  static void setPolicy(HttpServletRequest request, HttpServletResponse response) {
    boolean isNews = Live.isIn(request);
    response.setHeader("Content-Security-Policy", isNews ? POLICY_OF_NEWS : POLICY);
    if (!isNews) {
      response.setHeader("Referrer-Policy", "same-origin");
      response.setHeader("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
    }
  }

  /** The form to log in has no session yet. */
  private static boolean isOpenToAll(Object handler) {
    return handler instanceof HandlerMethod method && method.hasMethodAnnotation(OpenToAll.class);
  }

  private void requireOwnForm(HttpServletRequest request) {
    String token = frames.of(request).operator().csrfToken();
    String sent = request.getParameter("csrf");
    if (token != null && (sent == null || !isSame(token, sent))) {
      throw new FlowException(
          ErrorCode.CROSS_SITE, "the form is not one of this session: open the page again");
    }
  }

  private static boolean isSame(String token, String sent) {
    return MessageDigest.isEqual(
        token.getBytes(StandardCharsets.UTF_8), sent.getBytes(StandardCharsets.UTF_8));
  }
}
