package io.asyncflow.console.page.find;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.console.frame.Visit;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** Keeps the columns of the list, and searches with names, in cookies of the browser. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}/tasks")
public class CookieController {

  @PostMapping("/columns")
  public ResponseEntity<byte[]> columns(Visit visit) {
    return visit
        .keep(Column.COOKIE, Column.cookieValue(Column.of(visit.form().all("column"))))
        .build();
  }

  @PostMapping("/save")
  public ResponseEntity<byte[]> save(
      Visit visit, @CookieValue(name = SavedSearches.COOKIE, defaultValue = "") String cookie) {
    SavedSearches.Search search = new SavedSearches.Search(visit.text("q"), visit.text("order"));
    SavedSearches saved = SavedSearches.of(cookie).with(visit.text("name"), search);
    if (!saved.fit()) {
      throw new FlowException(
          ErrorCode.INVALID_INPUT,
          visit.frame().t("find.saved.full", SavedSearches.LONGEST_NAME, SavedSearches.MOST));
    }
    return visit.keep(SavedSearches.COOKIE, saved.cookieValue()).build();
  }

  @PostMapping("/forget")
  public ResponseEntity<byte[]> forget(
      Visit visit, @CookieValue(name = SavedSearches.COOKIE, defaultValue = "") String cookie) {
    SavedSearches saved = SavedSearches.of(cookie).without(visit.text("name"));
    return visit.keep(SavedSearches.COOKIE, saved.cookieValue()).build();
  }
}
