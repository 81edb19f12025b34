package io.asyncflow.flowsvr.front.compat;

import static java.util.stream.Collectors.toSet;

import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Leads the paths of old clients to the controller methods of the API. */
@Component
class OldPaths {

  OldPaths(
      OldRoutes old,
      @Qualifier("requestMappingHandlerMapping") RequestMappingHandlerMapping routes) {
    old.all().forEach((path, route) -> add(path, route.call(), routes));
  }

  private static void add(String path, OldCall call, RequestMappingHandlerMapping routes) {
    Map.Entry<RequestMappingInfo, HandlerMethod> ofApi =
        routes.getHandlerMethods().entrySet().stream()
            .filter(route -> route.getKey().getPatternValues().contains(call.pathOfApi()))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("no route " + call.pathOfApi()));
    Set<RequestMethod> methods =
        Stream.concat(
                ofApi.getKey().getMethodsCondition().getMethods().stream(),
                call.furtherMethods().stream())
            .collect(toSet());
    routes.registerMapping(
        RequestMappingInfo.paths(path)
            .methods(methods.toArray(RequestMethod[]::new))
            .options(routes.getBuilderConfiguration())
            .build(),
        ofApi.getValue().getBean(),
        ofApi.getValue().getMethod());
  }
}
