package io.asyncflow.worker.autoconfigure;

import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.Worker;
import io.asyncflow.worker.internal.AnnotatedStages;
import java.lang.reflect.Method;
import java.util.Map;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Finds the beans that handle stages: {@link StageHandler} beans whose class is marked with {@link
 * Stage}, and beans with marked methods. Looks through proxies, so that a handler may be
 * transactional or otherwise advised.
 */
class StageBeans {

  private final ListableBeanFactory beans;

  StageBeans(ListableBeanFactory beans) {
    this.beans = beans;
  }

  /** Says how many stages it found. */
  int register(Worker.Builder worker) {
    int found = 0;
    for (String name : beans.getBeanDefinitionNames()) {
      Class<?> type = beans.getType(name, false);
      if (type != null && AnnotationUtils.isCandidateClass(type, Stage.class)) {
        found += register(name, type, worker);
      }
    }
    return found;
  }

  private int register(String name, Class<?> type, Worker.Builder worker) {
    int found = 0;
    Class<?> userType = org.springframework.util.ClassUtils.getUserClass(type);
    Stage onClass = AnnotatedElementUtils.findMergedAnnotation(userType, Stage.class);
    if (onClass != null) {
      if (!(beans.getBean(name) instanceof StageHandler handler)) {
        throw new IllegalArgumentException(
            "bean " + name + " has @Stage on its class and is no StageHandler");
      }
      worker.handler(onClass.type(), onClass.stage(), handler, onClass.slot());
      found++;
    }
    Map<Method, Stage> methods =
        MethodIntrospector.selectMethods(
            userType,
            (MethodIntrospector.MetadataLookup<Stage>)
                method -> AnnotatedElementUtils.findMergedAnnotation(method, Stage.class));
    for (Map.Entry<Method, Stage> entry : methods.entrySet()) {
      Object bean = beans.getBean(name);
      Method method = AopUtils.selectInvocableMethod(entry.getKey(), bean.getClass());
      Stage stage = entry.getValue();
      worker.handler(
          stage.type(), stage.stage(), AnnotatedStages.handlerOf(bean, method), stage.slot());
      found++;
    }
    return found;
  }
}
