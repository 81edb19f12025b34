package io.asyncflow.flowsvr.act;

import io.asyncflow.flowsvr.web.read.Fields;

/**
 * In whose name a caller acts, and why, as the caller says. It proves nothing; whom the caller was
 * proven to be is the {@link Actor}.
 *
 * @param operator empty if none is named
 * @param text empty if none was given
 */
public record Reason(String operator, String text) {

  public static final Reason NONE = new Reason("", "");

  private static final int OPERATOR = 128;
  private static final int TEXT = 1_000;

  /** Reads {@code operator} and {@code reason}. */
  public static Reason read(Fields in) {
    return new Reason(in.text("operator").max(OPERATOR).or(""), in.text("reason").max(TEXT).or(""));
  }

  /** Reads {@code operator} and {@code reason}, which is required. */
  public static Reason readRequired(Fields in) {
    return new Reason(
        in.text("operator").max(OPERATOR).or(""), in.text("reason").required().max(TEXT).or(""));
  }
}
