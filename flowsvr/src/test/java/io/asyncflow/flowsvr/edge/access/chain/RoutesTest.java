package io.asyncflow.flowsvr.edge.access.chain;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** What stops the start; what is answered is in RoutesIT. */
class RoutesTest {

  static class Controller {

    void forgotten() {}

    @Needs(Verb.TASK_READ)
    void remembered() {}
  }

  private final RequestMappingHandlerMapping handlers = new RequestMappingHandlerMapping();

  @BeforeEach
  void begin() {
    handlers.setApplicationContext(new StaticApplicationContext());
    handlers.afterPropertiesSet();
  }

  private void start(String method) throws NoSuchMethodException {
    handlers.registerMapping(
        RequestMappingInfo.paths("/api/x").options(handlers.getBuilderConfiguration()).build(),
        new Controller(),
        Controller.class.getDeclaredMethod(method));
    StaticListableBeanFactory beans = new StaticListableBeanFactory();
    beans.addBean("handlers", handlers);
    new Routes(
            beans.getBeanProvider(RequestMappingInfoHandlerMapping.class),
            new PathMappedEndpoints("/actuator", List.of()),
            new AccessProperties(null, null, null, null, null))
        .afterSingletonsInstantiated();
  }

  @Test
  void methodWithoutAVerbStopsTheStart() {
    assertThatThrownBy(() -> start("forgotten"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Controller#forgotten")
        .hasMessageContaining("has no @Needs");
  }

  @Test
  void verbWithoutAMethodStopsTheStart() {
    assertThatThrownBy(() -> start("remembered"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no controller method has @Needs of")
        .hasMessageContaining("TASK_FORCE")
        .hasMessageNotContaining("TASK_READ");
  }
}
