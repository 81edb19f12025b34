package io.asyncflow.console.page.account;

import io.asyncflow.console.Done;
import io.asyncflow.console.frame.Form;
import io.asyncflow.console.frame.Preferences;
import io.asyncflow.console.frame.Visit;
import io.asyncflow.console.page.TaskWords;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;

/** Preferences, help, and the way from an id to its page. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}")
public class AccountController {

  @GetMapping("/preferences")
  public ResponseEntity<byte[]> preferences(Visit visit) {
    return visit.show("preferences", visit.frame().preferences());
  }

  @PostMapping("/preferences")
  public ResponseEntity<byte[]> save(Visit visit) {
    Preferences saved = visit.frame().preferences().with(visit.form());
    ResponseEntity.HeadersBuilder<?> answer = visit.keep(Preferences.COOKIE, saved.cookieValue());
    if (visit.form().has("refresh")) { // from their page; of a switch in the header, one sees it
      String base = visit.frame().urls().base();
      answer.header(HttpHeaders.SET_COOKIE, Done.cookie(base, "preferences"));
    }
    return answer.build();
  }

  @GetMapping("/help")
  public ResponseEntity<byte[]> help(Visit visit) {
    return visit.show("help", visit.frame());
  }

  /** Opens the task or the job with an id; whatever else is searched for, a name as a user's. */
  @GetMapping("/open")
  public ResponseEntity<byte[]> open(Visit visit) {
    String name = visit.text("id");
    String page = TaskWords.pageOf(name);
    boolean isName = name.matches("[\\p{L}\\p{N}_.@-]+");
    return page != null
        ? visit.goTo(page)
        : visit.goTo("/tasks", "q", isName ? "user:" + name : name);
  }

  /** Whatever else is asked for. */
  @RequestMapping("/**")
  public ResponseEntity<byte[]> nowhere() {
    throw Form.noPage();
  }
}
