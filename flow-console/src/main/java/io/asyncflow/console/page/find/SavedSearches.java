package io.asyncflow.console.page.find;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.web.util.UriUtils;

/**
 * Searches that an operator has given names, in a cookie of the browser. Immutable.
 *
 * @param byName their texts, in the order in which they were saved
 */
record SavedSearches(Map<String, String> byName) {

  static final String COOKIE = "asyncflow_searches";
  static final int MOST = 20;
  private static final int LONGEST_NAME = 40;

  /** Browsers drop a cookie that is larger than four kilobytes. */
  private static final int LONGEST_COOKIE = 3_800;

  /**
   * @param cookie its value; empty if there is none. What is not understood is left out
   */
  static SavedSearches of(String cookie) {
    Map<String, String> saved = new LinkedHashMap<>();
    for (String pair : cookie.split("&")) {
      int equals = pair.indexOf('=');
      if (equals > 0 && saved.size() < MOST) {
        try {
          saved.put(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
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

  /**
   * @throws FlowException if there is no room for it
   */
  SavedSearches with(String name, String q) {
    Map<String, String> more = new LinkedHashMap<>(byName);
    more.put(name, q);
    SavedSearches saved = new SavedSearches(more);
    if (name.isEmpty()
        || name.length() > LONGEST_NAME
        || more.size() > MOST
        || saved.cookieValue().length() > LONGEST_COOKIE) {
      throw new FlowException(
          ErrorCode.INVALID_INPUT,
          "a saved search has a name of at most 40 characters, and there is room for 20: remove one");
    }
    return saved;
  }

  SavedSearches without(String name) {
    Map<String, String> fewer = new LinkedHashMap<>(byName);
    fewer.remove(name);
    return new SavedSearches(fewer);
  }

  String cookieValue() {
    return byName.entrySet().stream()
        .map(saved -> encoded(saved.getKey()) + "=" + encoded(saved.getValue()))
        .collect(Collectors.joining("&"));
  }

  private static String encoded(String text) {
    return UriUtils.encode(text, StandardCharsets.UTF_8);
  }
}
