package io.asyncflow.console.frame;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.console.Live;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;

/** What a form or an address sent, by the names of its fields. */
public record Form(HttpServletRequest request) {

  /** A field without blanks around it; empty if it is absent. */
  public String text(String name) {
    String sent = request.getParameter(name);
    return sent == null ? "" : sent.strip();
  }

  /** The same; {@code null} if it is absent or empty, as a call leaves it out. */
  public String given(String name) {
    String text = text(name);
    return text.isEmpty() ? null : text;
  }

  public boolean has(String name) {
    return request.getParameterMap().containsKey(name);
  }

  /** All values of a field, as they were sent. */
  public List<String> all(String name) {
    String[] sent = request.getParameterValues(name);
    return sent == null ? List.of() : List.of(sent);
  }

  /**
   * A time, as the operator reads times.
   *
   * @return {@code null} if it is absent
   * @throws FlowException if it is none
   */
  public Long time(Frame frame, String name) {
    String text = given(name);
    return text == null
        ? null
        : frame
            .times()
            .parse(text)
            .orElseThrow(() -> new FlowException(ErrorCode.INVALID_INPUT, name + " is not a time"));
  }

  /** Whether an open page asks by itself. */
  public boolean isLive() {
    return Live.isIn(request);
  }

  /** There is no such page. */
  public static FlowException noPage() {
    return new FlowException(ErrorCode.NO_SUCH_OBJECT, "there is no such page");
  }
}
