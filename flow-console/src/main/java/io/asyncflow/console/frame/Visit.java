package io.asyncflow.console.frame;

import io.asyncflow.api.Call;
import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.console.Done;
import io.asyncflow.console.OperatorClient;
import java.time.Duration;
import java.util.function.Supplier;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseCookie;
import org.springframework.http.ResponseEntity;

/** An operator's request for a page: what it says, the calls in its name, and its answers. */
public record Visit(Frame frame, Form form, OperatorClient api, Pages pages) {

  private static final Duration YEAR = Duration.ofDays(365);

  /**
   * Makes a call.
   *
   * @throws FlowException as the API refuses it
   */
  public <T> T send(Call<T> call) {
    return api.send(call);
  }

  /** What a page can be shown without; {@code otherwise} if it cannot be told at the moment. */
  public static <T> T orElse(Supplier<T> call, T otherwise) {
    try {
      return call.get();
    } catch (FlowException refused) {
      if (refused.errorCode() == ErrorCode.INTERNAL) {
        throw refused;
      }
      return otherwise;
    }
  }

  /** The same of a page that answers a form, and that another address opens. */
  public Visit openedBy(String address) {
    return new Visit(frame.openedBy(address), form, api, pages);
  }

  public boolean may(String verb) {
    return frame.may(verb);
  }

  public String text(String name) {
    return form.text(name);
  }

  /** The address of a page. */
  public String to(String path, Object... query) {
    return frame.to(path, query);
  }

  public ResponseEntity<byte[]> show(String template, Object view) {
    return pages.show(frame, template, view);
  }

  /** As {@link #show}, with another status than 200, or after a form. */
  public ResponseEntity<byte[]> show(String template, Object view, int status) {
    return pages.show(frame, template, view, status);
  }

  public ResponseEntity<byte[]> goTo(String path, Object... query) {
    return Pages.goTo(to(path, query));
  }

  /** Leads back to where a form stands, with a cookie that the browser keeps for a year. */
  public ResponseEntity.HeadersBuilder<?> keep(String name, String value) {
    ResponseCookie cookie =
        ResponseCookie.from(name, value)
            .path(frame.urls().base())
            .httpOnly(true)
            .sameSite("Lax")
            .maxAge(YEAR)
            .build();
    return ResponseEntity.status(HttpStatus.SEE_OTHER)
        .header(HttpHeaders.SET_COOKIE, cookie.toString())
        .header(HttpHeaders.LOCATION, frame.urls().own(text("to")));
  }

  /**
   * The answer to a form that did something: the next page says so, and shows what it changed.
   *
   * @param act the key of the act
   */
  public ResponseEntity<byte[]> done(String act, String path, Object... query) {
    return ResponseEntity.status(HttpStatus.SEE_OTHER)
        .header(HttpHeaders.LOCATION, to(path, query))
        .header(HttpHeaders.SET_COOKIE, Done.cookie(frame.urls().base(), act))
        .build();
  }
}
