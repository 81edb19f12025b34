package io.asyncflow.worker.autoconfigure;

import io.asyncflow.api.OneLine;
import io.asyncflow.worker.BatchStageHandler;
import io.asyncflow.worker.Cron;
import io.asyncflow.worker.InvalidStageException;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageNeeds;
import io.asyncflow.worker.Worker;
import io.asyncflow.worker.internal.schedule.AnnotatedSchedules;
import io.asyncflow.worker.internal.stage.AnnotatedStages;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Finds the beans that handle stages: {@link StageHandler} and {@link BatchStageHandler} beans
 * whose class is marked with {@link Stage}, and beans with marked methods; with them the schedules
 * that {@link Cron} gives to them. Handles proxied beans, so that a handler may be transactional or
 * otherwise advised.
 */
class StageBeans {

  private static final Logger log = LoggerFactory.getLogger(StageBeans.class);

  private static final List<Class<? extends Annotation>> MARKS = List.of(Stage.class, Cron.class);

  private final ConfigurableListableBeanFactory beans;

  StageBeans(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  /** Registers the stages of all beans and returns their number. */
  int register(Worker.Builder worker) {
    int found = 0;
    for (String name : beans.getBeanDefinitionNames()) {
      Class<?> type = typeOf(name);
      if (type != null && AnnotationUtils.isCandidateClass(type, MARKS)) {
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
    if (type != null && type.isInterface() && beans.isSingleton(name) && isOfApplication(type)) {
      // A lazy bean that is known by the return type of its method: the bean alone tells its marks.
      return classOf(name);
    }
    return type == null ? null : ClassUtils.getUserClass(type);
  }

  /** A lazy bean that cannot be made yet must not end the start: most are no handlers. */
  private Class<?> classOf(String name) {
    try {
      return AopUtils.getTargetClass(beans.getBean(name));
    } catch (BeansException e) {
      log.warn(
          "the bean {} cannot be made, so if it has stages, they are not run: {}",
          name,
          OneLine.ofThrowable(e));
      return null;
    }
  }

  /** Whether handlers may be behind an interface; no bean of a library is made early for that. */
  private boolean isOfApplication(Class<?> type) {
    String inPackage = type.getPackageName() + ".";
    return type.getPackage() == Stage.class.getPackage()
        || AutoConfigurationPackages.has(beans)
            && AutoConfigurationPackages.get(beans).stream()
                .anyMatch(root -> inPackage.startsWith(root + "."));
  }

  private int registerClass(String name, Class<?> type, Worker.Builder worker) {
    Marks marks = Marks.of(type);
    if (marks == null) {
      return 0;
    }
    schedule(marks, type, type, worker);
    Stage stage = marks.stage();
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
    Map<Method, Marks> methods =
        MethodIntrospector.selectMethods(type, (MetadataLookup<Marks>) Marks::of);
    methods.forEach(
        (method, marks) -> {
          schedule(marks, method, type, worker);
          Stage stage = marks.stage();
          Object bean = beans.getBean(name);
          StageHandler handler = AnnotatedStages.handlerOf(bean, invocable(method, bean));
          worker.handler(stage.type(), stage.stage(), handler, StageNeeds.of(stage));
        });
    return methods.size();
  }

  private void schedule(
      Marks marks, AnnotatedElement marked, Class<?> type, Worker.Builder worker) {
    if (marks.cron() != null) {
      worker.schedule(
          AnnotatedSchedules.of(
              marks.cron(), marks.stage(), marked, type, beans::resolveEmbeddedValue));
    }
  }

  /** What a class or a method is marked with; one of the two may be {@code null}. */
  private record Marks(Stage stage, Cron cron) {

    /** {@code null} for an element without a mark. */
    static Marks of(AnnotatedElement element) {
      Stage stage = AnnotatedElementUtils.findMergedAnnotation(element, Stage.class);
      Cron cron = AnnotatedElementUtils.findMergedAnnotation(element, Cron.class);
      return stage == null && cron == null ? null : new Marks(stage, cron);
    }
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
