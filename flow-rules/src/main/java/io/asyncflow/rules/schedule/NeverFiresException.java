package io.asyncflow.rules.schedule;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FieldError;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.schedule.NewSchedule;
import java.util.List;

/** A definition has no fire time before its end. */
public final class NeverFiresException extends FlowException {

  private static final long serialVersionUID = 1L;

  private final transient NewSchedule definition;

  NeverFiresException(NewSchedule definition) {
    super(
        ErrorCode.INVALID_INPUT,
        "schedule " + definition.name() + " never fires: it has no fire time before its end");
    this.definition = definition;
  }

  public NewSchedule definition() {
    return definition;
  }

  /**
   * The exception that names the field.
   *
   * @param path where in the request the definition stands
   */
  public FlowException at(String path) {
    String field = definition.endTime() == null ? ".startTime" : ".endTime";
    List<FieldError> errors = List.of(new FieldError(path + field, "leaves no fire time"));
    return new FlowException(errorCode(), getMessage(), errors, this);
  }
}
