package io.asyncflow.flowsvr.edge.access.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.flowsvr.RunningServer;
import io.asyncflow.flowsvr.edge.access.Caller;
import io.asyncflow.flowsvr.edge.access.MissingVerbException;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Role;
import io.asyncflow.flowsvr.edge.access.Scope;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.ApplicationContext;
import org.springframework.security.authentication.AuthenticationCredentialsNotFoundException;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Calls of controllers within the process, past the chain. */
@RunningServer
class SecondDoorIT {

  private static final int NOT_OVERRIDDEN = Modifier.FINAL | Modifier.PRIVATE | Modifier.STATIC;

  @Autowired ApplicationContext beans;

  @Autowired
  @Qualifier("requestMappingHandlerMapping")
  RequestMappingHandlerMapping controllers;

  @AfterEach
  void leave() {
    SecurityContextHolder.clearContext();
  }

  private static Caller callerAs(Role role) {
    return new Caller(Caller.Kind.KEY, "key:test", Set.of(role), Scope.ALL);
  }

  private static void enterAs(Role role) {
    Caller caller = callerAs(role);
    SecurityContextHolder.setContext(new SecurityContextImpl(new CallerAuthentication(caller)));
  }

  private Object governanceStatus() {
    Object controller = beans.getBean("governanceController");
    Method status =
        ReflectionUtils.findMethod(AopUtils.getTargetClass(controller), "status", Caller.class);
    ReflectionUtils.makeAccessible(status);
    return ReflectionUtils.invokeMethod(status, controller, callerAs(Role.ADMIN));
  }

  @Test
  void callerWithTheVerbIsLetIn() {
    enterAs(Role.READER);
    assertThat(governanceStatus()).isNotNull();
  }

  @Test
  void callerWithoutItIsNot() {
    enterAs(Role.WORKER);
    assertThatThrownBy(this::governanceStatus)
        .isInstanceOf(MissingVerbException.class)
        .hasMessageContaining("GOVERN_READ");
  }

  @Test
  void nobodyIsNot() {
    assertThatThrownBy(this::governanceStatus)
        .isInstanceOf(AuthenticationCredentialsNotFoundException.class);
  }

  @Test
  void everyControllerHasTheDoor() {
    assertThat(controllers.getHandlerMethods().values())
        .filteredOn(handler -> handler.hasMethodAnnotation(Needs.class))
        .hasSizeGreaterThan(50)
        .allMatch(handler -> AopUtils.isAopProxy(handler.createWithResolvedBean().getBean()))
        .as("a proxy overrides the others alone")
        .noneMatch(handler -> (handler.getMethod().getModifiers() & NOT_OVERRIDDEN) != 0);
  }
}
