package io.asyncflow.flowsvr.operator.table;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;

/** A table cannot be dropped now, because it is not the first of its family that is drained. */
class TableNotDrainedException extends FlowException {

  private static final long serialVersionUID = 1L;

  /**
   * @param table the name of the table
   * @param why continues after the table's name
   */
  TableNotDrainedException(String table, String why) {
    super(ErrorCode.TRANSITION_NOT_ALLOWED, table + " " + why);
  }
}
