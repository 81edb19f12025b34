package io.asyncflow.flowsvr.edge.access.session;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.flowsvr.edge.access.site.RequestSite;
import io.asyncflow.flowsvr.edge.web.error.ApiError;
import io.asyncflow.flowsvr.edge.web.error.ApiErrorWriter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.Predicate;
import org.springframework.web.filter.GenericFilterBean;

/**
 * Refuses requests that a browser sends with the cookie, but not for a page of this server: those
 * that name another site, but for links to pages, and those that change something without the
 * session's CSRF token. Bearer tokens are sent by no browser on its own, so requests with them
 * pass.
 */
public class SessionGuard extends GenericFilterBean {

  static final String CSRF_HEADER = "X-XSRF-TOKEN";

  private final Predicate<HttpServletRequest> isSafe;
  private final Predicate<HttpServletRequest> isPage;

  /**
   * @param isSafe whether a request changes nothing
   * @param isPage whether it is for a page, which changes nothing when it is opened, and which no
   *     other page can read or frame
   */
  public SessionGuard(Predicate<HttpServletRequest> isSafe, Predicate<HttpServletRequest> isPage) {
    this.isSafe = isSafe;
    this.isPage = isPage;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    HttpServletRequest http = (HttpServletRequest) request;
    OpenSession session = OpenSession.of(http);
    if (session == null) {
      chain.doFilter(request, response);
    } else if (RequestSite.isForeign(http) && !isLink(http)) {
      refuse(http, response, "a web page of another site sent this with the cookie of a session");
    } else if (!isSafe.test(http) && !session.isCsrfToken(http.getHeader(CSRF_HEADER))) {
      refuse(
          http,
          response,
          "with the cookie of a session, what changes something needs the header "
              + CSRF_HEADER
              + ": its value is the csrfToken that GET /api/key/me answers");
    } else {
      chain.doFilter(request, response);
    }
  }

  /** Somebody follows a link to a page, or comes back from the issuer. */
  private boolean isLink(HttpServletRequest request) {
    return RequestSite.isNavigation(request) && isPage.test(request);
  }

  private static void refuse(HttpServletRequest request, ServletResponse response, String why)
      throws IOException {
    ApiErrorWriter.write(
        request, (HttpServletResponse) response, ApiError.of(ErrorCode.CROSS_SITE, why));
  }
}
