package io.asyncflow.flowsvr.compat;

import io.asyncflow.api.CreateResult;
import io.asyncflow.flowsvr.tasktype.TaskTypeConfig;
import io.asyncflow.flowsvr.tasktype.TaskTypes;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.read.FieldNames;
import io.asyncflow.rules.TaskType;
import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.core.MethodParameter;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes the answers of old calls with the members that old clients know and no others, because
 * some refuse what they do not know.
 */
@RestControllerAdvice
@ConditionalOnProperty(name = "flow.compat.legacy-paths", havingValue = "true")
class OldAnswers implements ResponseBodyAdvice<Object> {

  private static final List<String> OF_TASK =
      List.of(
          "userId",
          "taskId",
          "taskType",
          "taskStage",
          "orderTime",
          "priority",
          "status",
          "crtRetryNum",
          "maxRetryNum",
          "maxRetryInterval",
          "scheduleLog",
          "taskContext",
          "createTime",
          "modifyTime");

  private static final List<String> OF_TYPE =
      List.of(
          "task_type",
          "schedule_limit",
          "schedule_interval",
          "max_processing_time",
          "max_retry_num",
          "retry_interval",
          "create_time",
          "modify_time");

  private final TaskTypes types;
  private final JsonMapper json;

  OldAnswers(TaskTypes types, JsonMapper json) {
    this.types = types;
    this.json = json;
  }

  @Override
  public boolean supports(
      MethodParameter returnType, Class<? extends HttpMessageConverter<?>> converter) {
    return true; // it is told by the path
  }

  @Override
  public Object beforeBodyWrite(
      Object body,
      MethodParameter returnType,
      MediaType contentType,
      Class<? extends HttpMessageConverter<?>> converter,
      ServerHttpRequest request,
      ServerHttpResponse response) {
    OldCall call = OldCall.of(((ServletServerHttpRequest) request).getServletRequest());
    return call != null && body instanceof Envelope<?> answer
        ? Envelope.ok(translated(call, answer.result()))
        : body;
  }

  private Object translated(OldCall call, Object result) {
    return switch (call) {
      case CREATE_TASK -> json.createObjectNode().put("task_id", ((CreateResult) result).taskId());
      case GET_TASK -> json.createObjectNode().set("taskData", task(tree(result).path("taskData")));
      case TASK_LIST, USER_TASK_LIST, HOLD_TASK -> tasks(tree(result).path("taskList"));
      case LIST_TYPES -> types(tree(result).path("scheduleCfgList"));
      case SET_TASK, SAVE_TYPE -> result;
    };
  }

  private JsonNode tree(Object result) {
    return json.valueToTree(result);
  }

  private ObjectNode tasks(JsonNode tasks) {
    ObjectNode answer = json.createObjectNode();
    ArrayNode list = answer.putArray("taskList");
    tasks.forEach(task -> list.add(task(task)));
    return answer;
  }

  private ObjectNode task(JsonNode task) {
    ObjectNode old = json.createObjectNode();
    for (String member : OF_TASK) {
      if (task.has(member)) {
        old.set(FieldNames.toSnakeCase(member), task.get(member));
      }
    }
    return old.put("task_type", spelling(task.path("taskType").asString()));
  }

  /** As {@code t_schedule_cfg} has it: an old worker looks for the class of this name. */
  private String spelling(String type) {
    return TaskType.parse(type).flatMap(types::known).map(TaskTypeConfig::spelling).orElse(type);
  }

  private ObjectNode types(JsonNode list) {
    ObjectNode answer = json.createObjectNode();
    ArrayNode old = answer.putArray("scheduleCfgList");
    list.forEach(type -> old.add(((ObjectNode) type).retain(OF_TYPE)));
    return answer;
  }
}
