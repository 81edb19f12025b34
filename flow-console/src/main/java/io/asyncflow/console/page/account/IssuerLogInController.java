package io.asyncflow.console.page.account;

import io.asyncflow.console.IssuerLogIn;
import io.asyncflow.console.OpenToAll;
import io.asyncflow.console.frame.Frame;
import io.asyncflow.console.frame.Frames;
import io.asyncflow.console.frame.Pages;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Locale;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Sends operators to the issuer at which they log in, and takes them back. */
@Controller
@RequestMapping("${asyncflow.console.path:/console}")
public class IssuerLogInController {

  /** What a browser keeps of it goes with every request in a header. */
  private static final int LONGEST_ADDRESS = 500;

  private final Frames frames;
  private final IssuerLogIn issuer;

  public IssuerLogInController(Frames frames, IssuerLogIn issuer) {
    this.frames = frames;
    this.issuer = issuer;
  }

  @OpenToAll
  @GetMapping("/login/issuer")
  public ResponseEntity<byte[]> begin(
      HttpServletRequest request,
      HttpServletResponse response,
      @RequestParam(defaultValue = "") String to) {
    Frame frame = frames.ofNobody(request);
    String own = frame.urls().own(to);
    String kept = own.length() > LONGEST_ADDRESS ? frame.urls().base() : own;
    return ResponseEntity.status(HttpStatus.SEE_OTHER)
        .location(issuer.begin(kept, request, response))
        .build();
  }

  @OpenToAll
  @GetMapping("/login/issuer/return")
  public ResponseEntity<byte[]> finish(HttpServletRequest request, HttpServletResponse response) {
    Frame frame = frames.ofNobody(request);
    try {
      return Pages.goTo(frame.urls().own(issuer.finish(request, response)));
    } catch (IssuerLogIn.RefusedException e) {
      // Not here: the address has a code in it, which a reload would send again.
      String why = e.reason().name().toLowerCase(Locale.ROOT);
      return Pages.goTo(frame.urls().logIn(frame.urls().own(e.to()), why));
    }
  }
}
