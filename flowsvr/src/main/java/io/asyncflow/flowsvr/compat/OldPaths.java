package io.asyncflow.flowsvr.compat;

import static java.util.stream.Collectors.toSet;

import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Leads the paths of old clients to the controller methods of the API. */
@Component
@ConditionalOnProperty(name = "flow.compat.legacy-paths", havingValue = "true")
class OldPaths {

  OldPaths(@Qualifier("requestMappingHandlerMapping") RequestMappingHandlerMapping routes) {
    for (OldCall call : OldCall.values()) {
      add(call, routes);
    }
  }

  private static void add(OldCall call, RequestMappingHandlerMapping routes) {
    Map.Entry<RequestMappingInfo, HandlerMethod> ofApi =
        routes.getHandlerMethods().entrySet().stream()
            .filter(route -> route.getKey().getPatternValues().contains(call.pathOfApi()))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("no route " + call.pathOfApi()));
    Set<RequestMethod> methods =
        Stream.concat(
                ofApi.getKey().getMethodsCondition().getMethods().stream(),
                Stream.of(call.furtherMethods()))
            .collect(toSet());
    routes.registerMapping(
        RequestMappingInfo.paths(call.path())
            .methods(methods.toArray(RequestMethod[]::new))
            .options(routes.getBuilderConfiguration())
            .build(),
        ofApi.getValue().getBean(),
        ofApi.getValue().getMethod());
  }
}
