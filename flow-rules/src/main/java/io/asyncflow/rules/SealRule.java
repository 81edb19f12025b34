package io.asyncflow.rules;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoredText;
import io.asyncflow.api.codec.SealedText;

/**
 * Whether a type takes sealed texts, plain ones, or both: contexts, results and inputs of jobs. An
 * empty text is neither. A text in the context store was judged when it was stored.
 */
public enum SealRule {
  /** Both. */
  ANY("may be sealed"),
  /** Only sealed ones. */
  REQUIRED("must be sealed"),
  /** Only plain ones. */
  FORBIDDEN("must not be sealed");

  private final String demand;

  SealRule(String demand) {
    this.demand = demand;
  }

  /** The rule of a type's setting {@code sealed}: 1 required, 0 any, -1 forbidden. */
  public static SealRule of(int sealed) {
    return sealed > 0 ? REQUIRED : sealed < 0 ? FORBIDDEN : ANY;
  }

  /**
   * Whether a row may get this text.
   *
   * @param text {@code null} for none
   */
  public boolean allows(String text) {
    if (this == ANY || text == null || text.isEmpty()) {
      return true;
    }
    return SealedText.isSealed(text) == (this == REQUIRED) || StoredText.parse(text).isPresent();
  }

  /**
   * Refuses a text that no row may get.
   *
   * @param taskType the type that has this rule
   * @param field what the client calls the text
   * @throws FlowException with {@link ErrorCode#SEALING_RULE}
   */
  public void check(String taskType, String text, String field) {
    if (!allows(text)) {
      throw new FlowException(
          ErrorCode.SEALING_RULE, field + " " + demand + ": type " + taskType + " demands that");
    }
  }
}
