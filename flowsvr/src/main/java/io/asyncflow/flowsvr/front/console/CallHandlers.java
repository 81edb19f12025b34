package io.asyncflow.flowsvr.front.console;

import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import jakarta.servlet.http.HttpServletRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** The controller methods of the API by their paths, and what they do. */
@Component
class CallHandlers {

  /** Answers the bytes of an object. */
  static final String OBJECT = "/api/store/{taskId}/{stage}/{epoch}/{name}";

  /** Answers the bytes of the input of a job. */
  static final String INPUT = "/api/job/getJobInput";

  /** What one caller alone may see, though another may have the same rights. */
  private static final Set<String> OF_THE_CALLER =
      Set.of("/api/meta", "/api/bulk/get", "/api/bulk/list");

  private final SingletonSupplier<Map<String, Handler>> byPath;

  /**
   * @param mappings asked when the first call is made, as the pages are among the handlers
   */
  CallHandlers(
      @Qualifier("requestMappingHandlerMapping")
          ObjectProvider<RequestMappingHandlerMapping> mappings) {
    this.byPath = SingletonSupplier.of(() -> list(mappings.getObject().getHandlerMethods()));
  }

  /**
   * What answers a call.
   *
   * @param reads whether it changes nothing
   * @param isOfTheCaller whether another caller with the same rights gets another answer
   */
  record Handler(HandlerMethod method, boolean reads, boolean isOfTheCaller) {

    private static Handler of(RequestMappingInfo route, HandlerMethod method) {
      ReflectionUtils.makeAccessible(method.getMethod());
      List<Verb> needs = List.of(method.getMethodAnnotation(Needs.class).value());
      boolean takesGet = route.getMethodsCondition().getMethods().contains(RequestMethod.GET);
      return new Handler(
          method.createWithResolvedBean(),
          // Old clients hold tasks and save types by GET; the record of acts is a POST alone.
          takesGet && !needs.contains(Verb.WORK_HOLD) && !needs.contains(Verb.TYPE_SAVE)
              || needs.contains(Verb.AUDIT_READ),
          route.getPatternValues().stream().anyMatch(OF_THE_CALLER::contains)
              || List.of(method.getMethod().getParameterTypes())
                  .contains(HttpServletRequest.class));
    }
  }

  private static Map<String, Handler> list(Map<RequestMappingInfo, HandlerMethod> methods) {
    Map<String, Handler> handlers = new HashMap<>();
    methods.forEach(
        (route, method) -> {
          boolean isPut = route.getMethodsCondition().getMethods().contains(RequestMethod.PUT);
          if (method.hasMethodAnnotation(Needs.class) && !isPut) {
            route.getPatternValues().forEach(path -> handlers.put(path, Handler.of(route, method)));
          }
        });
    return handlers;
  }

  Handler find(String path) {
    Handler handler = byPath.obtain().get(path);
    if (handler == null) {
      throw new IllegalArgumentException("no call of the API: " + path);
    }
    return handler;
  }
}
