package io.asyncflow.flowsvr.edge.web.filter;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import org.slf4j.MDC;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Sets the trace id of each request in the log context and in the answer's header, and headers that
 * stop browsers from sniffing, executing, framing, caching or sharing an answer. The API's test
 * page may load its own scripts and styles. With TLS, browsers do not come back without it.
 */
@Component
@Order(FilterOrder.EVERY_ANSWER)
class AnswerHeaders extends OncePerRequestFilter {

  private static final String POLICY = "Content-Security-Policy";
  private static final String NOTHING = "default-src 'none'; frame-ancestors 'none'";
  private static final String OWN_PAGE =
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
          + " frame-ancestors 'none'";
  private static final String CALLS = "/api/";
  private static final String PAGE_PATH = "/swagger-ui";
  private static final String ONE_YEAR = "max-age=31536000";
  private static final String MDC_KEY = "traceId";

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String traceId = TraceId.of(request);
    response.setHeader(TraceId.HEADER, traceId);
    MDC.put(MDC_KEY, traceId);
    try {
      boolean isNew = request.getDispatcherType() == DispatcherType.REQUEST;
      chain.doFilter(request, isNew ? withHeaders(request, response) : response);
    } finally {
      MDC.remove(MDC_KEY);
    }
  }

  @Override
  protected boolean shouldNotFilterAsyncDispatch() {
    return false; // a parked hold continues on another thread
  }

  @Override
  protected boolean shouldNotFilterErrorDispatch() {
    return false;
  }

  private static HttpServletResponse withHeaders(
      HttpServletRequest request, HttpServletResponse response) {
    boolean isPage = request.getServletPath().startsWith(PAGE_PATH);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
    response.setHeader(POLICY, isPage ? OWN_PAGE : NOTHING);
    if (!isPage) { // whose files never change
      response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    }
    if (request.isSecure()) {
      response.setHeader("Strict-Transport-Security", ONE_YEAR);
    }
    boolean isCall = request.getServletPath().startsWith(CALLS);
    return isCall ? response : new OwnCaching(response);
  }

  /** What a page says of its caching holds instead of what is said for all, and not beside it. */
  private static final class OwnCaching extends HttpServletResponseWrapper {

    OwnCaching(HttpServletResponse response) {
      super(response);
    }

    @Override
    public void addHeader(String name, String value) {
      if (name.equalsIgnoreCase(HttpHeaders.CACHE_CONTROL)) {
        setHeader(name, value);
      } else {
        super.addHeader(name, value);
      }
    }
  }
}
