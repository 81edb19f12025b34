package io.asyncflow.flowsvr.edge.web.read;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import java.util.List;

/**
 * One field is invalid for a reason that depends on stored data; {@link Fields} finds all other
 * reasons.
 */
public class InvalidFieldException extends FlowException {

  private static final long serialVersionUID = 1L;

  /**
   * @param message continues after the field's name
   */
  public InvalidFieldException(String field, String message) {
    super(
        ErrorCode.INVALID_INPUT,
        field + " " + message,
        List.of(new FieldError(field, message)),
        null);
  }
}
