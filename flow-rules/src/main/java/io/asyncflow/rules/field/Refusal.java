package io.asyncflow.rules.field;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import java.util.List;
import java.util.stream.Collectors;

/** How a call with invalid fields is refused. */
public final class Refusal {

  private static final int MAX_ERRORS = 100;
  private static final int ERRORS_IN_MESSAGE = 3;

  private Refusal() {}

  /**
   * The exception that names the fields.
   *
   * @param errors at least one
   * @param sizes how many of them are about the size of a field
   */
  public static FlowException of(List<FieldError> errors, int sizes) {
    ErrorCode code = sizes == errors.size() ? ErrorCode.TOO_LARGE : ErrorCode.INVALID_INPUT;
    List<FieldError> reported = errors.subList(0, Math.min(errors.size(), MAX_ERRORS));
    return new FlowException(code, message(errors), reported, null);
  }

  private static String message(List<FieldError> errors) {
    String first =
        errors.stream()
            .limit(ERRORS_IN_MESSAGE)
            .map(error -> error.field() + " " + error.message())
            .collect(Collectors.joining("; "));
    int remaining = errors.size() - ERRORS_IN_MESSAGE;
    return remaining > 0 ? first + "; and " + remaining + " more" : first;
  }
}
