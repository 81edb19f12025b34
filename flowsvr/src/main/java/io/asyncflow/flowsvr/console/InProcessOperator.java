package io.asyncflow.flowsvr.console;

import io.asyncflow.api.ErrorCode;
import io.asyncflow.api.FlowException;
import io.asyncflow.console.OperatorClient;
import io.asyncflow.flowsvr.access.Caller;
import io.asyncflow.flowsvr.access.Needs;
import io.asyncflow.flowsvr.web.Envelope;
import io.asyncflow.flowsvr.web.error.ApiError;
import io.asyncflow.flowsvr.web.load.DatabaseGate;
import io.asyncflow.flowsvr.web.load.ListShare;
import io.asyncflow.flowsvr.web.read.Fields;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.stereotype.Component;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes calls of the API by entering their controller methods. It knows those whose arguments are
 * {@link Fields}, a {@link Caller} and the request, and which return an {@link Envelope}.
 * Thread-safe.
 */
@Component
class InProcessOperator implements OperatorClient {

  private static final Logger log = LoggerFactory.getLogger(InProcessOperator.class);

  private static final Set<Class<?>> ARGUMENTS =
      Set.of(Fields.class, Caller.class, HttpServletRequest.class);

  private final ObjectProvider<RequestMappingHandlerMapping> mappings;
  private final JsonMapper json;
  private final DatabaseGate gate;
  private final ListShare lists;
  private volatile Map<String, HandlerMethod> methods;

  /**
   * @param mappings asked when the first call is made, as the pages are among the handlers
   */
  InProcessOperator(
      @Qualifier("requestMappingHandlerMapping")
          ObjectProvider<RequestMappingHandlerMapping> mappings,
      JsonMapper json,
      DatabaseGate gate,
      ListShare lists) {
    this.mappings = mappings;
    this.json = json;
    this.gate = gate;
    this.lists = lists;
  }

  @Override
  public JsonNode call(String path, Map<String, ?> fields) {
    HandlerMethod method = methods().get(path);
    if (method == null) {
      throw new IllegalArgumentException("no call of the API: " + path);
    }
    HttpServletRequest request =
        ((ServletRequestAttributes) RequestContextHolder.currentRequestAttributes()).getRequest();
    gate.preHandle(request, null, method);
    lists.preHandle(request, null, method);
    try {
      return json.valueToTree(enter(method, arguments(method, fields, request)).result());
    } finally {
      lists.afterCompletion(request, null, method, null);
    }
  }

  private Object[] arguments(
      HandlerMethod method, Map<String, ?> fields, HttpServletRequest request) {
    return Arrays.stream(method.getMethod().getParameterTypes())
        .map(
            type ->
                type == Caller.class
                    ? caller()
                    : type == Fields.class
                        ? Fields.of(json.<ObjectNode>valueToTree(fields))
                        : request)
        .toArray();
  }

  /**
   * @throws FlowException if the request has none
   */
  private static Caller caller() {
    if (SecurityContextHolder.getContext().getAuthentication() != null
        && SecurityContextHolder.getContext().getAuthentication().getPrincipal()
            instanceof Caller caller) {
      return caller;
    }
    throw new FlowException(ErrorCode.NOT_AUTHENTICATED, "log in first");
  }

  private static Envelope<?> enter(HandlerMethod method, Object[] arguments) {
    try {
      ReflectionUtils.makeAccessible(method.getMethod());
      return (Envelope<?>) method.getMethod().invoke(method.getBean(), arguments);
    } catch (InvocationTargetException e) {
      throw refusal(e.getCause(), method);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The answer that HTTP would have given. */
  private static FlowException refusal(Throwable failure, HandlerMethod method) {
    if (failure instanceof FlowException refused) {
      return refused;
    }
    ApiError error = ApiError.of(failure);
    if (error.code() == ErrorCode.INTERNAL) {
      log.error("{}: 8099, a bug; the page contains no details", method, failure);
    }
    return new FlowException(error.code(), error.message(), error.errors(), failure);
  }

  private Map<String, HandlerMethod> methods() {
    Map<String, HandlerMethod> known = methods;
    if (known == null) {
      known = find(mappings.getObject());
      methods = known;
    }
    return known;
  }

  private static Map<String, HandlerMethod> find(RequestMappingHandlerMapping mapping) {
    Map<String, HandlerMethod> found = new HashMap<>();
    mapping
        .getHandlerMethods()
        .forEach(
            (route, handler) -> {
              if (isCall(handler)) {
                HandlerMethod method = handler.createWithResolvedBean();
                route.getPatternValues().forEach(path -> found.put(path, method));
              }
            });
    return Map.copyOf(found);
  }

  private static boolean isCall(HandlerMethod handler) {
    return handler.hasMethodAnnotation(Needs.class)
        && handler.getMethod().getReturnType() == Envelope.class
        && Arrays.stream(handler.getMethod().getParameterTypes()).allMatch(ARGUMENTS::contains);
  }
}
