package io.asyncflow.flowsvr.compat;

import io.asyncflow.flowsvr.access.chain.RequestRateGate;
import io.asyncflow.flowsvr.web.load.DatabaseGate;
import io.asyncflow.flowsvr.web.load.ListShare;
import io.asyncflow.flowsvr.web.read.Fields;
import io.asyncflow.flowsvr.web.read.FieldsResolver;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Locale;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.IntNode;
import tools.jackson.databind.node.StringNode;

/**
 * Reads the requests of old clients as requests of the API, and lets them pass the same gates.
 *
 * <p>Such a client writes a task's type as it is spelled in {@code t_schedule_cfg} into the task's
 * id, fills contexts of 8,192 bytes, asks for more rows than a page has, and sends no cursor.
 */
@Component
@ConditionalOnProperty(name = "flow.compat.legacy-paths", havingValue = "true")
@Order(0) // its resolver comes before the one of the API
class OldRequests implements WebMvcConfigurer {

  private static final int CONTEXT_BYTES = 8_192;
  private static final int MOST_ROWS = 1_000;

  private static final int FURTHER_PAGES = 3;

  private final FieldsResolver fields;
  private final ListShare lists;
  private final List<HandlerInterceptor> gates;

  OldRequests(
      DatabaseGate database, ListShare lists, RequestRateGate rates, FieldsResolver fields) {
    this.fields = fields;
    this.lists = lists;
    this.gates = List.of(database, lists, rates);
  }

  @Override
  public void addInterceptors(InterceptorRegistry registry) {
    gates.forEach(gate -> registry.addInterceptor(gate).addPathPatterns(OldCall.paths()));
  }

  @Override
  public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
    resolvers.add(new Resolver(fields, lists));
  }

  private static final class Resolver implements HandlerMethodArgumentResolver {

    private final FieldsResolver ofApi;
    private final ListShare lists;

    Resolver(FieldsResolver ofApi, ListShare lists) {
      this.ofApi = ofApi;
      this.lists = lists;
    }

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
      Fields fields = ofApi.resolveArgument(parameter, container, request, binderFactory);
      HttpServletRequest http = request.getNativeRequest(HttpServletRequest.class);
      OldCall call = OldCall.of(http);
      if (call != null) {
        translate(call, fields);
        fields.allowFurtherPages(() -> lists.takeFurther(http, FURTHER_PAGES));
      }
      return fields;
    }
  }

  private static void translate(OldCall call, Fields fields) {
    switch (call) {
      case GET_TASK -> fields.change("taskId", OldRequests::inLowerCase);
      case SET_TASK -> {
        fields.change("taskId", OldRequests::inLowerCase);
        fields.allowBytes("taskContext", CONTEXT_BYTES);
      }
      case CREATE_TASK -> fields.allowBytes("taskContext", CONTEXT_BYTES);
      case HOLD_TASK -> fields.change("limit", OldRequests::atMost);
      case TASK_LIST, USER_TASK_LIST ->
          fields.change(
              "limit", limit -> isNone(limit) ? IntNode.valueOf(MOST_ROWS) : atMost(limit));
      case LIST_TYPES, SAVE_TYPE -> {}
    }
  }

  /** An id has no capital letters. */
  private static JsonNode inLowerCase(JsonNode id) {
    return id != null && id.isString()
        ? StringNode.valueOf(id.asString().toLowerCase(Locale.ROOT))
        : id;
  }

  /** An absent limit and 0 are the largest one. */
  private static boolean isNone(JsonNode limit) {
    return limit == null || limit.asString("").equals("0");
  }

  /** A larger limit is the largest one; what is no number is left to the form. */
  private static JsonNode atMost(JsonNode limit) {
    boolean isMore = limit != null && limit.asLong(0) > MOST_ROWS;
    return isMore ? IntNode.valueOf(MOST_ROWS) : limit;
  }
}
