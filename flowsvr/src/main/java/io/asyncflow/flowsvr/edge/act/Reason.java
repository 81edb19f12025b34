package io.asyncflow.flowsvr.edge.act;

import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.rules.field.TaskFields;
import io.asyncflow.rules.field.TaskLimits;

/**
 * In whose name a caller acts, and why, as the caller says. It proves nothing; whom the caller was
 * proven to be is the {@link Actor}.
 *
 * @param operator empty if none is named
 * @param text empty if none was given
 */
public record Reason(String operator, String text) {

  public static final Reason NONE = new Reason("", "");

  /** Reads {@code operator} and {@code reason}. */
  public static Reason read(Fields in) {
    return new Reason(TaskFields.operator(in), TaskFields.reason(in));
  }

  /** Reads {@code operator} and {@code reason}, which is required. */
  public static Reason readRequired(Fields in) {
    return new Reason(
        TaskFields.operator(in), in.text("reason").required().max(TaskLimits.REASON).or(""));
  }
}
