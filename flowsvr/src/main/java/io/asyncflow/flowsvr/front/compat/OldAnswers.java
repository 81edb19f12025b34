package io.asyncflow.flowsvr.front.compat;

import io.asyncflow.api.CreateResult;
import io.asyncflow.flowsvr.edge.web.Envelope;
import io.asyncflow.flowsvr.front.compat.OldRoutes.Route;
import io.asyncflow.flowsvr.task.type.TaskTypeConfig;
import io.asyncflow.flowsvr.task.type.TaskTypes;
import io.asyncflow.rules.TaskType;
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
class OldAnswers implements ResponseBodyAdvice<Object> {

  private final OldRoutes routes;
  private final TaskTypes types;
  private final JsonMapper json;

  OldAnswers(OldRoutes routes, TaskTypes types, JsonMapper json) {
    this.routes = routes;
    this.types = types;
    this.json = json;
  }

  @Override
  public boolean supports(
      MethodParameter returnType, Class<? extends HttpMessageConverter<?>> converter) {
    return !routes.all().isEmpty(); // the rest is told by the path
  }

  @Override
  public Object beforeBodyWrite(
      Object body,
      MethodParameter returnType,
      MediaType contentType,
      Class<? extends HttpMessageConverter<?>> converter,
      ServerHttpRequest request,
      ServerHttpResponse response) {
    Route route = routes.of(((ServletServerHttpRequest) request).getServletRequest());
    if (route == null || !(body instanceof Envelope<?> answer)) {
      return body;
    }
    ObjectNode result = translated(route.dialect(), route.call(), answer.result());
    if (!route.dialect().isFlat()) {
      return Envelope.ok(result);
    }
    ObjectNode flat = json.createObjectNode().put("code", 0).put("msg", answer.msg());
    return result == null ? flat : flat.setAll(result);
  }

  private ObjectNode translated(Dialect dialect, OldCall call, Object result) {
    Dialect.Results names = dialect.results();
    ObjectNode answer = json.createObjectNode();
    return switch (call) {
      case CREATE_TASK -> {
        ObjectNode task = json.createObjectNode().put("taskId", ((CreateResult) result).taskId());
        JsonNode id = dialect.task().write(task).iterator().next();
        yield answer.set(names.taskId(), id);
      }
      case GET_TASK -> answer.set(names.task(), task(dialect, tree(result).path("taskData")));
      case LIST_TASKS, LIST_TASKS_OF_USER, HOLD_TASKS -> {
        ArrayNode list = answer.putArray(names.tasks());
        tree(result).path("taskList").forEach(task -> list.add(task(dialect, task)));
        yield answer;
      }
      case LIST_TYPES -> {
        ArrayNode list = answer.putArray(names.types());
        tree(result).path("scheduleCfgList").forEach(type -> list.add(type(dialect, type)));
        yield answer;
      }
      case SET_TASK, SAVE_TYPE -> null;
    };
  }

  private JsonNode tree(Object result) {
    return json.valueToTree(result);
  }

  private ObjectNode task(Dialect dialect, JsonNode task) {
    ((ObjectNode) task).put("taskType", spelling(task.path("taskType").asString()));
    return dialect.task().write(task);
  }

  /** As {@code t_schedule_cfg} has it: an old worker looks for the class of this name. */
  private String spelling(String type) {
    return TaskType.parse(type).flatMap(types::known).map(TaskTypeConfig::spelling).orElse(type);
  }

  /** Where a type has one interval, that is its largest. */
  private static ObjectNode type(Dialect dialect, JsonNode type) {
    if (type.path("max_retry_interval").isNull()) {
      ((ObjectNode) type).set("max_retry_interval", type.get("retry_interval"));
    }
    return dialect.type().write(type);
  }
}
