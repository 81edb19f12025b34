package io.asyncflow.console.page.account;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.console.IssuerLogIn;
import io.asyncflow.console.LogIn;
import io.asyncflow.console.OpenToAll;
import io.asyncflow.console.frame.Form;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Frames;
import io.asyncflow.console.frame.Pages;
import io.asyncflow.console.frame.Visit;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Locale;
import java.util.stream.Stream;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Takes a key for a session, and ends the session. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}")
public class LogInController {

  private final Pages pages;
  private final Frames frames;
  private final LogIn logIn;
  private final boolean hasIssuer;

  /**
   * @param hasIssuer whether operators can log in at an issuer, too
   */
  public LogInController(Pages pages, Frames frames, LogIn logIn, boolean hasIssuer) {
    this.pages = pages;
    this.frames = frames;
    this.logIn = logIn;
    this.hasIssuer = hasIssuer;
  }

  /**
   * @param why a form came too late, or the issuer's log-in was refused for a reason
   */
  @OpenToAll
  @GetMapping("/login")
  public ResponseEntity<byte[]> show(
      HttpServletRequest request,
      @RequestParam(defaultValue = "") String to,
      @RequestParam(defaultValue = "") String why) {
    Frame frame = frames.ofNobody(request);
    return pages.show(
        frame, "login", new View(frame.urls().own(to), refusal(frame, why), hasIssuer));
  }

  private static String refusal(Frame frame, String why) {
    return why.equals("ended")
        ? frame.t("login.ended")
        : Stream.of(IssuerLogIn.Reason.values())
            .map(reason -> reason.name().toLowerCase(Locale.ROOT))
            .filter(why::equals)
            .map(reason -> frame.t("login.issuer." + reason))
            .findFirst()
            .orElse("");
  }

  @OpenToAll
  @PostMapping("/login")
  public ResponseEntity<byte[]> begin(HttpServletRequest request, HttpServletResponse response) {
    Frame frame = frames.ofNobody(request);
    Form form = new Form(request);
    String to = frame.urls().own(form.text("to"));
    try {
      logIn.begin(form.text("key"), request, response);
    } catch (FlowException refused) {
      if (refused.errorCode() == ErrorCode.NOT_AUTHENTICATED
          || refused.errorCode() == ErrorCode.KEY_ENDED) {
        View view = new View(to, frame.t("login.refused"), hasIssuer);
        return pages.show(frame, "login", view, HttpServletResponse.SC_UNAUTHORIZED);
      }
      throw refused;
    }
    return Pages.goTo(to);
  }

  @PostMapping("/logout")
  public ResponseEntity<byte[]> end(
      Visit visit, HttpServletRequest request, HttpServletResponse response) {
    logIn.end(request, response);
    // Browsers keep pages, and ask before they show them again.
    response.setHeader("Clear-Site-Data", "\"cache\"");
    return visit.goTo("/login");
  }

  /**
   * What the page to log in shows.
   *
   * @param to the address of the page that was asked for
   * @param refusal empty before a try
   * @param hasIssuer whether operators can log in at an issuer, too
   */
  public record View(String to, String refusal, boolean hasIssuer) {}
}
