package io.asyncflow.flowsvr.compat;

import static java.util.stream.Collectors.toUnmodifiableMap;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import org.springframework.web.bind.annotation.RequestMethod;

/** The calls of old clients. */
enum OldCall {
  CREATE_TASK("/task/create_task", "/api/task/create_task"),
  GET_TASK("/task/get_task", "/api/task/get_task"),
  TASK_LIST("/task/task_list", "/api/task/get_task_list"),
  USER_TASK_LIST("/task/user_task_list", "/api/task/get_user_task_list"),
  HOLD_TASK("/task/hold_task", "/api/task/hold_task"),
  SET_TASK("/task/set_task", "/api/task/set_task"),
  LIST_TYPES("/task_schedule_cfg/list", "/api/task_schedule_cfg/list"),
  /** Sent by GET with a body, as the old server had it, and by POST. */
  SAVE_TYPE(
      "/task_schedule_cfg/task_configuration", "/api/task_schedule_cfg/save", RequestMethod.GET);

  private static final Map<String, OldCall> BY_PATH =
      Arrays.stream(values()).collect(toUnmodifiableMap(OldCall::path, Function.identity()));

  private final String path;
  private final String pathOfApi;
  private final RequestMethod[] furtherMethods;

  /**
   * @param furtherMethods those that the call of the API does not take
   */
  OldCall(String path, String pathOfApi, RequestMethod... furtherMethods) {
    this.path = path;
    this.pathOfApi = pathOfApi;
    this.furtherMethods = furtherMethods;
  }

  /** The call of a request; {@code null} if it is none of these. */
  static OldCall of(HttpServletRequest request) {
    return BY_PATH.get(request.getServletPath());
  }

  static String[] paths() {
    return BY_PATH.keySet().toArray(String[]::new);
  }

  String path() {
    return path;
  }

  String pathOfApi() {
    return pathOfApi;
  }

  RequestMethod[] furtherMethods() {
    return furtherMethods.clone();
  }
}
