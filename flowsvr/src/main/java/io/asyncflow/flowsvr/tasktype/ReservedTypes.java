package io.asyncflow.flowsvr.tasktype;

import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.rules.TaskType;

/** Refuses requests that would create, hold or change tasks of the server's own types. */
public final class ReservedTypes {

  private ReservedTypes() {}

  /**
   * @param field the field that named the type
   * @param type {@code null} if the field is invalid anyway
   */
  public static void refuse(Fields in, String field, TaskType type) {
    if (type != null && type.isReserved()) {
      in.refuse(field, "begins with flow_, as only types of the server itself do");
    }
  }
}
