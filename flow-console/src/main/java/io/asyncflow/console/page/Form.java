package io.asyncflow.console.page;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.console.frame.Frame;
import java.util.Map;

/** What a form or an address sent, by the names of its fields. */
public record Form(Map<String, String> fields) {

  /** A field without blanks around it; empty if it is absent. */
  public String text(String name) {
    return fields.getOrDefault(name, "").strip();
  }

  /**
   * A time, as the operator reads times.
   *
   * @return {@code null} if it is absent
   * @throws FlowException if it is none
   */
  public Long time(Frame frame, String name) {
    String text = text(name);
    return text.isEmpty()
        ? null
        : frame
            .times()
            .parse(text)
            .orElseThrow(() -> new FlowException(ErrorCode.INVALID_INPUT, name + " is not a time"));
  }

  /** There is no such page. */
  public static FlowException noPage() {
    return new FlowException(ErrorCode.NO_SUCH_OBJECT, "there is no such page");
  }
}
