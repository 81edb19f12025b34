package io.asyncflow.console.page.find;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.page.Form;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Keeps the columns of the list, and searches with names, in cookies of the browser. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/tasks")
public class CookieController {

  private static final Duration LONG = Duration.ofDays(365);

  @PostMapping("/columns")
  public ResponseEntity<byte[]> columns(
      Frame frame, @RequestParam MultiValueMap<String, String> fields) {
    List<String> chosen = fields.getOrDefault("column", List.of());
    return keep(frame, Column.COOKIE, Column.cookieValue(Column.of(chosen)), fields.getFirst("to"));
  }

  @PostMapping("/save")
  public ResponseEntity<byte[]> save(
      Frame frame,
      @RequestParam Map<String, String> fields,
      @CookieValue(name = SavedSearches.COOKIE, defaultValue = "") String cookie) {
    Form form = new Form(fields);
    SavedSearches.Search search = new SavedSearches.Search(form.text("q"), form.text("order"));
    SavedSearches saved = SavedSearches.of(cookie).with(form.text("name"), search);
    if (!saved.fit()) {
      throw new FlowException(
          ErrorCode.INVALID_INPUT,
          frame.t("find.saved.full", SavedSearches.LONGEST_NAME, SavedSearches.MOST));
    }
    return keep(frame, SavedSearches.COOKIE, saved.cookieValue(), form.text("to"));
  }

  @PostMapping("/forget")
  public ResponseEntity<byte[]> forget(
      Frame frame,
      @RequestParam Map<String, String> fields,
      @CookieValue(name = SavedSearches.COOKIE, defaultValue = "") String cookie) {
    Form form = new Form(fields);
    SavedSearches saved = SavedSearches.of(cookie).without(form.text("name"));
    return keep(frame, SavedSearches.COOKIE, saved.cookieValue(), form.text("to"));
  }

  private static ResponseEntity<byte[]> keep(Frame frame, String name, String value, String to) {
    ResponseCookie cookie =
        ResponseCookie.from(name, value)
            .path(frame.urls().base())
            .httpOnly(true)
            .sameSite("Lax")
            .maxAge(LONG)
            .build();
    return ResponseEntity.status(HttpStatus.SEE_OTHER)
        .header(HttpHeaders.SET_COOKIE, cookie.toString())
        .header(HttpHeaders.LOCATION, frame.urls().own(to))
        .build();
  }
}
