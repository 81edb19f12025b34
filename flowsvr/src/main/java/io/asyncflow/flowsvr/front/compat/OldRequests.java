package io.asyncflow.flowsvr.front.compat;

import io.asyncflow.flowsvr.edge.web.read.FieldNames;
import io.asyncflow.flowsvr.edge.web.read.Fields;
import io.asyncflow.flowsvr.edge.web.read.FieldsResolver;
import io.asyncflow.flowsvr.front.compat.OldRoutes.Route;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.Order;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.IntNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the requests of old clients as requests of the API.
 *
 * <p>Such a client fills contexts of 8,192 bytes, asks for more rows than a page has, and sends no
 * cursor.
 */
@Component
@Order(0) // its resolver comes before the one of the API
class OldRequests implements WebMvcConfigurer {

  private static final int CONTEXT_BYTES = 8_192;
  private static final int MOST_ROWS = 1_000;

  /** Some clients begin the name with a capital letter. */
  private static final List<String> TASK_DATA = List.of("taskData", "TaskData");

  private final OldRoutes routes;
  private final FieldsResolver ofApi;
  private final Duration queueTime;

  OldRequests(
      OldRoutes routes,
      FieldsResolver ofApi,
      @Value("${flow.compat.legacy-lease:1h}") Duration queueTime) {
    this.routes = routes;
    this.ofApi = ofApi;
    this.queueTime = queueTime;
  }

  @Override
  public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
    if (!routes.all().isEmpty()) {
      resolvers.add(new Resolver());
    }
  }

  private final class Resolver implements HandlerMethodArgumentResolver {

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
      return ofApi.supportsParameter(parameter);
    }

    @Override
    public Object resolveArgument(
        MethodParameter parameter,
        ModelAndViewContainer container,
        NativeWebRequest request,
        WebDataBinderFactory binderFactory) {
      HttpServletRequest http = request.getNativeRequest(HttpServletRequest.class);
      Route route = routes.of(http);
      boolean isText = route != null && route.dialect().sendsPlainText();
      Fields fields =
          ofApi.resolveArgument(
              parameter,
              container,
              isText ? new ServletWebRequest(new TextAsJson(http)) : request,
              binderFactory);
      if (route != null) {
        translate(route, fields);
      }
      return fields;
    }
  }

  /** A body without a content type is read as JSON. */
  private static final class TextAsJson extends HttpServletRequestWrapper {

    private TextAsJson(HttpServletRequest request) {
      super(request);
    }

    @Override
    public String getContentType() {
      String type = super.getContentType();
      return type != null && type.startsWith(MediaType.TEXT_PLAIN_VALUE) ? null : type;
    }
  }

  private void translate(Route route, Fields fields) {
    Dialect.Members task = route.dialect().task();
    switch (route.call()) {
      case CREATE_TASK -> {
        fields.translate(sent -> withTask(sent, task));
        fields.allowBytes("taskContext", CONTEXT_BYTES);
      }
      case SET_TASK -> {
        fields.translate(sent -> task.read(flat(sent)));
        fields.allowBytes("taskContext", CONTEXT_BYTES);
      }
      case GET_TASK -> fields.translate(task::read);
      case HOLD_TASKS -> {
        fields.translate(sent -> limited(sent, sent.get("limit")));
        fields.allowQueue(route.dialect().hasQueue() ? queueTime : Duration.ZERO);
      }
      case LIST_TASKS, LIST_TASKS_OF_USER ->
          fields.translate(
              sent -> {
                JsonNode limit = sent.get("limit");
                return limited(task.read(sent), isNone(limit) ? IntNode.valueOf(MOST_ROWS) : limit);
              });
      case SAVE_TYPE -> fields.allowRespelling();
      case LIST_TYPES -> {}
    }
  }

  private static ObjectNode withTask(ObjectNode sent, Dialect.Members members) {
    return sent.get("taskData") instanceof ObjectNode task
        ? sent.set("taskData", members.read(task))
        : sent;
  }

  /** Some clients put the task into an object, and its id beside this. */
  private static ObjectNode flat(ObjectNode sent) {
    for (String name : TASK_DATA) {
      if (sent.get(name) instanceof ObjectNode task) {
        sent.remove(name);
        task.properties()
            .forEach(
                entry -> {
                  boolean isEmpty = entry.getValue().asString("?").isEmpty();
                  String field = FieldNames.toCamelCase(entry.getKey());
                  if (!isEmpty || !sent.has(field)) {
                    sent.set(field, entry.getValue());
                  }
                });
      }
    }
    return sent;
  }

  /** An absent limit and 0 are the largest one. */
  private static boolean isNone(JsonNode limit) {
    return limit == null || limit.asString("").equals("0");
  }

  /** A larger limit is the largest one; what is no number is left to the form. */
  private static ObjectNode limited(ObjectNode sent, JsonNode limit) {
    boolean isMore = limit != null && limit.asLong(0) > MOST_ROWS;
    return limit == null ? sent : sent.set("limit", isMore ? IntNode.valueOf(MOST_ROWS) : limit);
  }
}
