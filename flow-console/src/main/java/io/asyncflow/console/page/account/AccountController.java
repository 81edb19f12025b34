package io.asyncflow.console.page.account;

import io.asyncflow.console.Done;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.frame.Preferences;
import io.asyncflow.console.page.Form;
import java.time.Duration;
import java.util.Map;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Preferences, help, and the way from an id to its page. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}")
public class AccountController {

  private static final Duration LONG = Duration.ofDays(365);

  private final Pages pages;

  public AccountController(Pages pages) {
    this.pages = pages;
  }

  @GetMapping("/preferences")
  public ResponseEntity<byte[]> preferences(Frame frame) {
    return pages.show(frame, "preferences", frame.preferences());
  }

  @PostMapping("/preferences")
  public ResponseEntity<byte[]> save(Frame frame, @RequestParam Map<String, String> fields) {
    Preferences saved = frame.preferences().with(fields);
    ResponseCookie cookie =
        ResponseCookie.from(Preferences.COOKIE, saved.cookieValue())
            .path(frame.urls().base())
            .httpOnly(true)
            .sameSite("Lax")
            .maxAge(LONG)
            .build();
    ResponseEntity.BodyBuilder answer =
        ResponseEntity.status(HttpStatus.SEE_OTHER)
            .header(HttpHeaders.SET_COOKIE, cookie.toString())
            .header(HttpHeaders.LOCATION, frame.urls().own(fields.get("to")));
    if (fields.containsKey("refresh")) { // from their page; of a switch in the header, one sees it
      answer.header(HttpHeaders.SET_COOKIE, Done.cookie(frame.urls().base(), "preferences"));
    }
    return answer.build();
  }

  @GetMapping("/help")
  public ResponseEntity<byte[]> help(Frame frame) {
    return pages.show(frame, "help", frame);
  }

  /** Opens the task or the job with an id; whatever else is searched for, a name as a user's. */
  @GetMapping("/open")
  public ResponseEntity<byte[]> open(Frame frame, @RequestParam(defaultValue = "") String id) {
    String name = id.strip();
    if (name.matches("[0-9]{1,19}_[A-Za-z][A-Za-z0-9_]*_task_[0-9]{1,9}")) {
      return Pages.goTo(frame.to("/tasks/" + name));
    }
    if (name.matches("[0-9]{15,19}")) {
      return Pages.goTo(frame.to("/jobs/" + name));
    }
    boolean isName = name.matches("[\\p{L}\\p{N}_.@-]+");
    return Pages.goTo(frame.to("/tasks", "q", isName ? "user:" + name : name));
  }

  /** Whatever else is asked for. */
  @RequestMapping("/**")
  public ResponseEntity<byte[]> nowhere() {
    throw Form.noPage();
  }
}
