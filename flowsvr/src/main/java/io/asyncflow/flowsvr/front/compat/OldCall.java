package io.asyncflow.flowsvr.front.compat;

import java.util.List;
import org.springframework.web.bind.annotation.RequestMethod;

/** What old clients call, whatever their dialect. */
enum OldCall {
  CREATE_TASK("/api/task/create_task"),
  GET_TASK("/api/task/get_task"),
  LIST_TASKS("/api/task/get_task_list"),
  LIST_TASKS_OF_USER("/api/task/get_user_task_list"),
  HOLD_TASKS("/api/task/hold_task"),
  SET_TASK("/api/task/set_task"),
  LIST_TYPES("/api/task_schedule_cfg/list"),
  /** Some send it by GET with a body, as their server had it. */
  SAVE_TYPE("/api/task_schedule_cfg/save", RequestMethod.GET);

  private final String pathOfApi;
  private final List<RequestMethod> furtherMethods;

  /**
   * @param furtherMethods those that the call of the API does not take
   */
  OldCall(String pathOfApi, RequestMethod... furtherMethods) {
    this.pathOfApi = pathOfApi;
    this.furtherMethods = List.of(furtherMethods);
  }

  String pathOfApi() {
    return pathOfApi;
  }

  List<RequestMethod> furtherMethods() {
    return furtherMethods;
  }
}
