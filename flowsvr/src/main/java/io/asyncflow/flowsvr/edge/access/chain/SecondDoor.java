package io.asyncflow.flowsvr.edge.access.chain;

import io.asyncflow.flowsvr.edge.access.MissingVerbException;
import io.asyncflow.flowsvr.edge.access.Needs;
import io.asyncflow.flowsvr.edge.access.Verb;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;

/**
 * Lets only callers with the verb into a method with {@link Needs}. Over HTTP the chain has asked
 * for it before; calls within the process pass this door alone.
 */
class SecondDoor implements MethodInterceptor {

  private final ConcurrentMap<Method, List<Verb>> needed = new ConcurrentHashMap<>();

  @Override
  public Object invoke(MethodInvocation call) throws Throwable {
    List<Verb> oneOf = needed.computeIfAbsent(call.getMethod(), SecondDoor::neededBy);
    if (!CallerAuthentication.current().mayOneOf(oneOf)) {
      throw new MissingVerbException(oneOf.get(0));
    }
    return call.proceed();
  }

  private static List<Verb> neededBy(Method method) {
    return List.of(method.getAnnotation(Needs.class).value());
  }
}
