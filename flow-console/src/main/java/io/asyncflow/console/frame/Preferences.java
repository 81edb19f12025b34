package io.asyncflow.console.frame;

import io.asyncflow.console.text.Language;
import io.asyncflow.console.text.Times;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.http.HttpHeaders;
import org.springframework.web.util.WebUtils;

/**
 * How an operator wants the pages, from a cookie. Whatever is not understood is the default.
 *
 * @param theme {@code system}, {@code light} or {@code dark}
 * @param density {@code comfortable} or {@code compact}
 * @param zone the name of a time zone, or {@code browser}
 * @param times {@code relative} or {@code absolute}
 * @param keys whether the keyboard's shortcuts work
 * @param refresh seconds between two looks for news; 0 for none
 */
public record Preferences(
    Language language,
    String theme,
    String density,
    String zone,
    String times,
    boolean keys,
    int refresh) {

  public static final String COOKIE = "asyncflow_console";
  public static final String BROWSER_ZONE = "browser";
  public static final List<String> THEMES = List.of("system", "light", "dark");
  public static final List<String> DENSITIES = List.of("comfortable", "compact");
  public static final List<String> TIMES = List.of("relative", "absolute");
  public static final List<String> REFRESHES = List.of("2", "5", "10", "0");

  static Preferences of(HttpServletRequest request) {
    Map<String, String> set = new HashMap<>();
    Cookie cookie = WebUtils.getCookie(request, COOKIE);
    for (String pair : cookie == null ? new String[0] : cookie.getValue().split("&")) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        set.put(pair.substring(0, equals), pair.substring(equals + 1));
      }
    }
    return of(set, request.getHeader(HttpHeaders.ACCEPT_LANGUAGE));
  }

  /** The preferences with these names, as the cookie and the form have them. */
  static Preferences of(Map<String, String> set, String acceptLanguage) {
    return new Preferences(
        Language.ofCode(set.getOrDefault("lang", ""))
            .orElseGet(() -> Language.ofBrowser(acceptLanguage)),
        one(set, "theme", THEMES),
        one(set, "density", DENSITIES),
        Times.zone(set.getOrDefault("zone", BROWSER_ZONE)).map(ZoneId::getId).orElse(BROWSER_ZONE),
        one(set, "times", TIMES),
        !"off".equals(set.get("keys")),
        Integer.parseInt(one(set, "refresh", REFRESHES)));
  }

  private static String one(Map<String, String> set, String name, List<String> known) {
    String value = set.get(name);
    return value != null && known.contains(value) ? value : known.get(0);
  }

  /** These with those that a form changes. */
  public Preferences with(Form form) {
    Map<String, String> all = new HashMap<>(asMap());
    all.replaceAll((name, before) -> form.has(name) ? form.text(name) : before);
    return of(all, null);
  }

  public Times zonedTimes() {
    return new Times(zone.equals(BROWSER_ZONE) ? ZoneOffset.UTC : ZoneId.of(zone));
  }

  public String cookieValue() {
    return asMap().entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining("&"));
  }

  private Map<String, String> asMap() {
    return Arrays.stream(
            new String[][] {
              {"lang", language.code()},
              {"theme", theme},
              {"density", density},
              {"zone", zone},
              {"times", times},
              {"keys", keys ? "on" : "off"},
              {"refresh", String.valueOf(refresh)}
            })
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
  }

  /** Of a list of values, each with whether it is the one that is set. */
  public static Map<String, Boolean> marked(List<String> values, String set) {
    return values.stream()
        .collect(
            Collectors.toMap(Function.identity(), set::equals, (a, b) -> a, LinkedHashMap::new));
  }
}
