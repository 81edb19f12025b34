package io.asyncflow.worker.autoconfigure;

import io.asyncflow.worker.BatchStageHandler;
import io.asyncflow.worker.InvalidStageException;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageNeeds;
import io.asyncflow.worker.Worker;
import io.asyncflow.worker.internal.stage.AnnotatedStages;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Finds the beans that handle stages: {@link StageHandler} and {@link BatchStageHandler} beans
 * whose class is marked with {@link Stage}, and beans with marked methods. Handles proxied beans,
 * so that a handler may be transactional or otherwise advised.
 */
class StageBeans {

  private final ConfigurableListableBeanFactory beans;

  StageBeans(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  /** Registers the stages of all beans and returns their number. */
  int register(Worker.Builder worker) {
    int found = 0;
    for (String name : beans.getBeanDefinitionNames()) {
      Class<?> type = typeOf(name);
      if (type != null && AnnotationUtils.isCandidateClass(type, Stage.class)) {
        found += registerClass(name, type, worker) + registerMethods(name, type, worker);
      }
    }
    return found;
  }

  /** The user's class of the bean, without proxies; {@code null} if unknown. */
  private Class<?> typeOf(String name) {
    if (ScopedProxyUtils.isScopedTarget(name)) {
      return null;
    }
    Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
    return type == null ? null : ClassUtils.getUserClass(type);
  }

  private int registerClass(String name, Class<?> type, Worker.Builder worker) {
    Stage stage = AnnotatedElementUtils.findMergedAnnotation(type, Stage.class);
    if (stage == null) {
      return 0;
    }
    Object bean = beans.getBean(name);
    if (bean instanceof BatchStageHandler handler && !(bean instanceof StageHandler)) {
      worker.batchHandler(stage.type(), stage.stage(), handler, StageNeeds.of(stage));
    } else {
      StageHandler handler = AnnotatedStages.handlerOf(bean, stage.stage());
      worker.handler(stage.type(), stage.stage(), handler, StageNeeds.of(stage));
    }
    return 1;
  }

  private int registerMethods(String name, Class<?> type, Worker.Builder worker) {
    MetadataLookup<Stage> marked =
        method -> AnnotatedElementUtils.findMergedAnnotation(method, Stage.class);
    Map<Method, Stage> methods = MethodIntrospector.selectMethods(type, marked);
    methods.forEach(
        (method, stage) -> {
          Object bean = beans.getBean(name);
          StageHandler handler = AnnotatedStages.handlerOf(bean, invocable(method, bean));
          worker.handler(stage.type(), stage.stage(), handler, StageNeeds.of(stage));
        });
    return methods.size();
  }

  /**
   * The method as callable on the bean. A call must not bypass the advice, or run on a proxy, whose
   * fields are not set.
   */
  private static Method invocable(Method method, Object bean) {
    try {
      if (!AopUtils.isCglibProxy(bean) || !Modifier.isFinal(method.getModifiers())) {
        return AopUtils.selectInvocableMethod(method, bean.getClass());
      }
    } catch (IllegalStateException hiddenByTheProxy) {
      // Reported below.
    }
    throw new InvalidStageException(
        "@Stage method " + method + " cannot be called through the proxy of its bean",
        "make it neither private nor final, and declare it in the bean's interface where the proxy"
            + " has no more than that");
  }
}
