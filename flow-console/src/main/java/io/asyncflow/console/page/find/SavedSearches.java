package io.asyncflow.console.page.find;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.web.util.UriUtils;

/**
 * Searches that an operator has given names, in a cookie of the browser. Immutable.
 *
 * @param byName in the order in which they were saved
 */
record SavedSearches(Map<String, Search> byName) {

  static final String COOKIE = "asyncflow_searches";
  static final int MOST = 20;
  static final int LONGEST_NAME = 40;

  /**
   * A search.
   *
   * @param q its words
   * @param order of what it finds; empty for the one that suits the words
   */
  record Search(String q, String order) {

    Search {
      order = TaskFinder.ORDERS.contains(order) ? order : "";
    }
  }

  /** Browsers drop a cookie that is larger than four kilobytes. */
  private static final int LONGEST_COOKIE = 3_800;

  /**
   * @param cookie its value; empty if there is none. What is not understood is left out
   */
  static SavedSearches of(String cookie) {
    Map<String, Search> saved = new LinkedHashMap<>();
    for (String each : cookie.split("&")) {
      String[] parts = each.split("=", 3);
      if (parts.length > 1 && !parts[0].isEmpty() && saved.size() < MOST) {
        try {
          String order = parts.length > 2 ? parts[2] : "";
          saved.put(decoded(parts[0]), new Search(decoded(parts[1]), order));
        } catch (IllegalArgumentException e) {
          // another program's cookie
        }
      }
    }
    return new SavedSearches(saved);
  }

  private static String decoded(String part) {
    return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  SavedSearches with(String name, Search search) {
    Map<String, Search> more = new LinkedHashMap<>(byName);
    more.put(name, search);
    return new SavedSearches(more);
  }

  /** Whether a browser keeps them, and the page that lists them has room. */
  boolean fit() {
    return byName.size() <= MOST
        && byName.keySet().stream()
            .allMatch(name -> !name.isEmpty() && name.length() <= LONGEST_NAME)
        && cookieValue().length() <= LONGEST_COOKIE;
  }

  SavedSearches without(String name) {
    Map<String, Search> fewer = new LinkedHashMap<>(byName);
    fewer.remove(name);
    return new SavedSearches(fewer);
  }

  String cookieValue() {
    return byName.entrySet().stream()
        .map(saved -> encoded(saved.getKey()) + "=" + encoded(saved.getValue()))
        .collect(Collectors.joining("&"));
  }

  private static String encoded(Search search) {
    return encoded(search.q()) + (search.order().isEmpty() ? "" : "=" + search.order());
  }

  private static String encoded(String text) {
    return UriUtils.encode(text, StandardCharsets.UTF_8);
  }
}
