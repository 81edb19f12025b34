package io.asyncflow.flowsvr.access.chain;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.flowsvr.web.error.ApiError;
import io.asyncflow.flowsvr.web.error.ApiErrorWriter;
import io.asyncflow.flowsvr.web.filter.HealthRoute;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
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
class LocalGuard extends OncePerRequestFilter {

  private static final Pattern LOOPBACK =
      Pattern.compile("(.+\\.)?localhost|127(\\.[0-9]{1,3}){3}|\\[::1]");
  private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

  private final Set<String> hosts;

  /**
   * @param hosts further names of this server
   */
  LocalGuard(List<String> hosts) {
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
    if (host != null && !isOurs(nameIn(host))) {
      ApiErrorWriter.write(
          request,
          response,
          ApiError.of(
              ErrorCode.WRONG_HOST,
              "a server without FLOW_API_KEY answers to localhost and 127.0.0.1 only: use one of"
                  + " them, or start it with the name of this Host in FLOW_HOSTS"));
    } else if (isOfAnotherSite(request, host)) {
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

  /**
   * The host without the port. {@code request.getServerName()} is not used, because {@code
   * X-Forwarded-Host} may set it.
   */
  private static String nameIn(String host) {
    int colon = host.lastIndexOf(':');
    return colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
  }

  /** Whether the name is one that only this machine resolves to itself. */
  private boolean isOurs(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return LOOPBACK.matcher(lower).matches() || hosts.contains(lower);
  }

  private static boolean isOfAnotherSite(HttpServletRequest request, String host) {
    String site = request.getHeader("Sec-Fetch-Site");
    if (site != null && !OWN_SITES.contains(site)) {
      return true;
    }
    String origin = request.getHeader(HttpHeaders.ORIGIN);
    if (origin != null) {
      return !isOriginOf(host, origin);
    }
    // Browsers without Fetch Metadata send only this header with a GET.
    String referer = request.getHeader(HttpHeaders.REFERER);
    return referer != null && !isOriginOf(host, originOf(referer));
  }

  /**
   * Compares host and port, because a page on another port has another origin. The scheme is not
   * compared, because a proxy may terminate TLS.
   */
  private static boolean isOriginOf(String host, String origin) {
    return origin.equalsIgnoreCase("http://" + host) || origin.equalsIgnoreCase("https://" + host);
  }

  private static String originOf(String url) {
    try {
      URI uri = new URI(url);
      return uri.getScheme() + "://" + uri.getRawAuthority();
    } catch (URISyntaxException e) {
      return "null"; // browsers send "null" for an undisclosed origin
    }
  }
}
