package io.asyncflow.worker.internal.stage;

import io.asyncflow.worker.BatchStageHandler;
import io.asyncflow.worker.InvalidStageException;
import io.asyncflow.worker.JobMerger;
import io.asyncflow.worker.JobSplitter;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageNeeds;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.json.ContextJson;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** Finds the handlers that {@link Stage} marks. */
public final class AnnotatedStages {

  private AnnotatedStages() {}

  /**
   * Registers the object itself, if its class is marked, and each of its marked methods.
   *
   * @throws InvalidStageException if nothing is marked, or a marked element cannot be a handler
   */
  public static void register(Object target, StageRegistry registry) {
    boolean found = false;
    Stage onClass = target.getClass().getAnnotation(Stage.class);
    if (onClass != null) {
      registerClass(target, onClass, registry);
      found = true;
    }
    for (Method method : markedMethods(target.getClass())) {
      Stage stage = method.getAnnotation(Stage.class);
      StageHandler handler = handlerOf(target, method);
      registry.register(stage.type(), stage.stage(), handler, StageNeeds.of(stage));
      found = true;
    }
    if (!found) {
      throw new InvalidStageException(
          target.getClass().getName() + " has nothing marked with @Stage",
          "mark the class or a method of it with @Stage");
    }
  }

  private static void registerClass(Object target, Stage stage, StageRegistry registry) {
    StageNeeds needs = StageNeeds.of(stage);
    if (target instanceof BatchStageHandler handler && !(target instanceof StageHandler)) {
      registry.register(stage.type(), stage.stage(), handler, needs);
    } else {
      registry.register(stage.type(), stage.stage(), handlerOf(target, stage.stage()), needs);
    }
  }

  /**
   * The object as the handler of a stage.
   *
   * @throws InvalidStageException if it is not a handler
   */
  public static StageHandler handlerOf(Object target, String stage) {
    if (target instanceof StageHandler handler) {
      return handler;
    }
    if (target instanceof JobSplitter splitter && stage.equals(JobSplitter.STAGE)) {
      return handlerOf(splitter);
    }
    if (target instanceof JobMerger merger && stage.equals(JobMerger.STAGE)) {
      return handlerOf(merger);
    }
    throw new InvalidStageException(
        "@Stage is on " + target.getClass().getName() + ", which is no handler of stage " + stage,
        "implement StageHandler or BatchStageHandler, JobSplitter for the stage split or JobMerger"
            + " for the stage merge, or mark a method instead");
  }

  /** The splitter as the handler of its stage. */
  public static StageHandler handlerOf(JobSplitter splitter) {
    return SplitRun.handlerOf(splitter);
  }

  /** The merger as the handler of its stage. */
  public static StageHandler handlerOf(JobMerger merger) {
    return MergeRun.handlerOf(merger);
  }

  private static List<Method> markedMethods(Class<?> type) {
    List<Method> methods = new ArrayList<>();
    for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
      for (Method method : c.getDeclaredMethods()) {
        if (method.isAnnotationPresent(Stage.class) && !method.isBridge()) {
          methods.add(method);
        }
      }
    }
    return methods;
  }

  /**
   * The method as a handler.
   *
   * @throws InvalidStageException if it cannot be called as a handler
   */
  public static StageHandler handlerOf(Object target, Method method) {
    if (method.getReturnType() != StageResult.class) {
      throw new InvalidStageException(
          "@Stage method " + method + " does not return a StageResult",
          "let it return StageResult.done(…) or another StageResult");
    }
    Class<?>[] parameters = method.getParameterTypes();
    Type[] types = method.getGenericParameterTypes();
    boolean contextFirst = parameters.length > 0 && parameters[0] == StageContext.class;
    if (parameters.length == 0
        || parameters.length > 2
        || (parameters.length == 2 && !contextFirst)) {
      throw new InvalidStageException(
          "@Stage method " + method + " has parameters that a task cannot fill",
          "let it take a StageContext, or the context as a type of its own, or both in this order");
    }
    method.setAccessible(true);
    if (contextFirst && parameters.length == 1) {
      return named(method, c -> call(target, method, c));
    }
    int last = parameters.length - 1;
    boolean nullable = isNullable(method.getParameters()[last]);
    Function<StageContext, Object> read =
        nullable
            ? c -> ContextJson.readNullable(c.rawContext(), types[last])
            : c -> ContextJson.read(c.rawContext(), types[last]);
    return named(
        method,
        contextFirst
            ? c -> call(target, method, c, read.apply(c))
            : c -> call(target, method, read.apply(c)));
  }

  /** Accepts any {@code Nullable} annotation: of JSpecify, of Jakarta, of Kotlin's compiler. */
  private static boolean isNullable(Parameter parameter) {
    return Stream.concat(
            Stream.of(parameter.getAnnotations()),
            Stream.of(parameter.getAnnotatedType().getAnnotations()))
        .anyMatch(a -> a.annotationType().getSimpleName().equals("Nullable"));
  }

  /** A handler whose {@code toString} names the method, for messages about two handlers. */
  private static StageHandler named(Method method, StageHandler handler) {
    return new StageHandler() {
      @Override
      public StageResult handle(StageContext context) throws Exception {
        return handler.handle(context);
      }

      @Override
      public String toString() {
        return method.toString();
      }
    };
  }

  private static StageResult call(Object target, Method method, Object... arguments)
      throws Exception {
    try {
      return (StageResult) method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      // The handler's own exception decides on the task, not the wrapper of reflection.
      if (e.getCause() instanceof Exception thrown) {
        throw thrown;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e;
    }
  }
}
