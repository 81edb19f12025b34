package io.asyncflow.flowsvr.edge.access.site;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.flowsvr.edge.web.error.ApiError;
import io.asyncflow.flowsvr.edge.web.error.ApiErrorWriter;
import io.asyncflow.flowsvr.edge.web.filter.HealthRoute;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Mode local: refuses requests from web pages. Any page in a developer's browser can send requests
 * to loopback, and can read the answers if its host name resolves to loopback.
 *
 * <p>The check covers every method and route but health, because GET requests claim tasks, too. Of
 * the checked headers, tools send only {@code Host}.
 */
public class LocalGuard extends OncePerRequestFilter {

  private final Set<String> hosts;

  /**
   * @param hosts further names of this server
   */
  public LocalGuard(List<String> hosts) {
    this.hosts =
        hosts.stream()
            .map(host -> host.strip().toLowerCase(Locale.ROOT))
            .collect(Collectors.toUnmodifiableSet());
  }

  @Override
  protected boolean shouldNotFilter(HttpServletRequest request) {
    return HealthRoute.isOf(request);
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    String host = request.getHeader(HttpHeaders.HOST);
    if (host != null && !isOurs(RequestSite.nameIn(host))) {
      ApiErrorWriter.write(
          request,
          response,
          ApiError.of(
              ErrorCode.WRONG_HOST,
              "a server without FLOW_API_KEY answers to localhost and 127.0.0.1 only: use one of"
                  + " them, or start it with the name of this Host in FLOW_HOSTS"));
    } else if (RequestSite.isForeign(request)) {
      ApiErrorWriter.write(
          request,
          response,
          ApiError.of(
              ErrorCode.CROSS_SITE,
              "a web page of another site sent this: a server without FLOW_API_KEY takes requests"
                  + " of tools and of its own pages; type its address to open one"));
    } else {
      chain.doFilter(request, response);
    }
  }

  /** Whether the name is one that only this machine resolves to itself. */
  private boolean isOurs(String name) {
    return RequestSite.isLoopback(name) || hosts.contains(name.toLowerCase(Locale.ROOT));
  }
}
