package io.asyncflow.console.frame;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.stream.Stream;
import org.springframework.http.HttpHeaders;
import org.springframework.web.util.UriUtils;

/**
 * Makes the addresses of pages and files, below whatever path the browser sees. Immutable.
 *
 * @param base the path of the console, without a slash at its end
 * @param assets the hash of the static files
 */
public record Urls(String base, String assets) {

  /** As long are addresses that answers lead to: their headers have room for 4 KB. */
  private static final int LONGEST = 2_000;

  private static final int LONGEST_ESCAPED = 3_000;

  static Urls of(HttpServletRequest request, String path, String assets) {
    // A proxy's prefix is part of the context path where the server believes its headers.
    return new Urls(UriUtils.encodePath(request.getContextPath(), UTF_8) + path, assets);
  }

  /**
   * The address of a page.
   *
   * @param path of the page within the console, such as {@code /types/lark}
   * @param query names and values in turn; pairs whose value is {@code null} or empty are left out
   */
  public String to(String path, Object... query) {
    StringBuilder url =
        new StringBuilder(base)
            .append(isPlain(path, '/') ? path : UriUtils.encodePath(path, UTF_8));
    char separator = '?';
    for (int i = 0; i < query.length; i += 2) {
      String value = query[i + 1] == null ? "" : query[i + 1].toString();
      if (!value.isEmpty()) {
        url.append(separator)
            .append(query[i])
            .append('=')
            .append(isPlain(value, '-') ? value : UriUtils.encode(value, UTF_8));
        separator = '&';
      }
    }
    return url.toString();
  }

  /** Whether no character needs an escape, which costs more to find out by an encoder. */
  private static boolean isPlain(String text, char alsoPlain) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isWord = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
      if (!isWord && c != '-' && c != '.' && c != '_' && c != alsoPlain) {
        return false;
      }
    }
    return true;
  }

  /** The address of a static file. */
  public String asset(String name) {
    return base + "/static/" + assets + "/" + name;
  }

  /**
   * An address that came with a request, if it is one of the console's; otherwise its first page.
   */
  public String own(String address) {
    return isOwn(address) ? address : base;
  }

  boolean isOwn(String address) {
    return address != null
        && address.length() <= LONGEST
        && (address.equals(base) || address.startsWith(base + "/"))
        && address.chars().allMatch(c -> c > ' ' && c < 0x7F && c != '\\')
        && !address.startsWith("//")
        && isUriWithoutSteps(address);
  }

  /** The address of the log-in that leads to a page then. */
  public String logIn(String to, String why) {
    String address = UriUtils.encode(to, UTF_8).length() > LONGEST_ESCAPED ? withoutQuery(to) : to;
    return to("/login", "to", address, "why", why);
  }

  /** An address of the console that is short enough; at least its page, if its query is long. */
  String bounded(String address) {
    return address != null && address.length() > LONGEST ? withoutQuery(address) : address;
  }

  private static String withoutQuery(String address) {
    int query = address.indexOf('?');
    return query < 0 ? address : address.substring(0, query);
  }

  /**
   * The address that opens the page of a request: of a form, the page that the form stands on. Does
   * not read the form.
   */
  String opening(HttpServletRequest request) {
    String query = request.getQueryString() == null ? "" : "?" + request.getQueryString();
    String path = request.getRequestURI();
    if (!request.getMethod().equals("POST")) {
      return own(bounded(path + query));
    }
    String sender = bounded(pathOf(request.getHeader(HttpHeaders.REFERER)));
    return isOwn(sender) ? sender : own(bounded(path.substring(0, path.lastIndexOf('/')) + query));
  }

  /** {@code null} if it is no address of the web. */
  private static String pathOf(String address) {
    try {
      URI uri = new URI(address == null ? "" : address);
      return uri.getRawQuery() == null
          ? uri.getRawPath()
          : uri.getRawPath() + "?" + uri.getRawQuery();
    } catch (URISyntaxException e) {
      return null;
    }
  }

  /** Browsers follow dots, also escaped ones, to another page of the server. */
  private static boolean isUriWithoutSteps(String address) {
    try {
      URI uri = new URI(address);
      return !uri.isOpaque()
          && !uri.getRawPath().contains("//")
          && Stream.of(uri.getPath().split("[/;]", -1)).noneMatch(part -> part.matches("\\.{1,2}"));
    } catch (URISyntaxException e) {
      return false;
    }
  }
}
