package io.asyncflow.api;

import java.net.URI;
import java.net.URISyntaxException;

/** The address of a server, to which each call adds its path. */
record ServerUrl(URI uri) {

  private static final int HIGHEST_PORT = 65_535;

  /** The prefix of every path. */
  private static final String API = "/api";

  /**
   * @throws IllegalArgumentException if no call can be made to it; the message continues the words
   *     "must be"
   */
  ServerUrl {
    uri = usable(uri);
  }

  /**
   * @throws IllegalArgumentException as the constructor
   */
  static ServerUrl parse(String text) {
    try {
      return new ServerUrl(new URI(text));
    } catch (URISyntaxException e) {
      throw notUsable(text);
    }
  }

  private static URI usable(URI url) {
    boolean http = "http".equalsIgnoreCase(url.getScheme());
    boolean https = "https".equalsIgnoreCase(url.getScheme());
    boolean hasQueryOrFragment = url.getRawQuery() != null || url.getRawFragment() != null;
    // java.net.URI and the HTTP client do not accept a host with an underscore.
    if (!(http || https)
        || url.getHost() == null
        || url.getPort() > HIGHEST_PORT
        || hasQueryOrFragment) {
      throw notUsable(url.toString());
    }
    String text = url.toString().replaceAll("/$", "");
    // The whole path is compared: a host or the prefix of a gateway may end in /api, too.
    if (API.equals(URI.create(text).getPath())) {
      throw new IllegalArgumentException(
          "the address of flowsvr without "
              + API
              + ", which every call adds: "
              + withoutPassword(text.substring(0, text.length() - API.length())));
    }
    return URI.create(text);
  }

  private static IllegalArgumentException notUsable(String url) {
    return new IllegalArgumentException(
        "an http or https URL with a host, such as http://127.0.0.1:8081, and not '"
            + OneLine.of(withoutPassword(url))
            + "'");
  }

  private static String withoutPassword(String url) {
    return url.replaceAll("//[^@/]*@", "//…@");
  }

  boolean isHttps() {
    return "https".equalsIgnoreCase(uri.getScheme());
  }

  /** Where a call goes. */
  URI at(String path) {
    return URI.create(uri + path);
  }

  /** For people, without a password. */
  @Override
  public String toString() {
    return withoutPassword(uri.toString());
  }
}
