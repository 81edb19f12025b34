package io.asyncflow.flowsvr.edge.access.site;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.http.HttpHeaders;

/**
 * Which site's page sent a request, as browsers say by {@code Sec-Fetch-Site}, {@code Origin} and
 * {@code Referer}. Tools send none of them.
 */
public final class RequestSite {

  private static final Pattern LOOPBACK =
      Pattern.compile("(.+\\.)?localhost|127(\\.[0-9]{1,3}){3}|\\[::1]");
  private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

  private RequestSite() {}

  /** Whether a page of another origin sent the request. */
  public static boolean isForeign(HttpServletRequest request) {
    String host = request.getHeader(HttpHeaders.HOST);
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

  /** Whether a browser opens an address, as by a link, and shows what it gets to its user alone. */
  public static boolean isNavigation(HttpServletRequest request) {
    return request.getMethod().equals("GET")
        && "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
        && "document".equals(request.getHeader("Sec-Fetch-Dest"));
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

  /**
   * The host without the port. {@code request.getServerName()} is not used, because {@code
   * X-Forwarded-Host} may set it.
   */
  public static String nameIn(String host) {
    int colon = host.lastIndexOf(':');
    return colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
  }

  /** Whether the name is one that every machine resolves to itself. */
  public static boolean isLoopback(String name) {
    return LOOPBACK.matcher(name.toLowerCase(Locale.ROOT)).matches();
  }
}
