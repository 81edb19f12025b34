package io.asyncflow.flowsvr.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.FlowClient;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.flowsvr.model.WrongCalls.Call;
import io.asyncflow.flowsvr.model.WrongCalls.Told;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The fake refuses every call of {@link WrongCalls} as the server does, so that what passes a test
 * of an application is not refused later. {@link FakeContractTest} sends right ones.
 */
class RefusedByFakeTest {

  private final FakeFlowServer fake = new FakeFlowServer().withType("refused");

  @Test
  void fakeAnswersWhatTheServerAnswers() {
    Map<Call, Object> others = new LinkedHashMap<>();
    for (Call call : WrongCalls.all()) {
      if (!call.isWire()) {
        Told told = call.madeBy(fake);
        if (!told.equals(call.told())) {
          others.put(call, told + " instead of " + call.told());
        }
      }
    }
    assertThat(others).isEmpty();
  }

  @Test
  void everyMethodOfTheFakeHasWrongCalls() {
    Set<String> called = new TreeSet<>();
    FlowClient client = noting(FlowClient.class, fake, called);
    WrongCalls.all().stream()
        .filter(call -> !call.isWire() && call.told().code() != 0)
        .forEach(call -> call.madeBy(client));

    List<String> missing = new ArrayList<>(callsOf(FlowClient.class));
    for (Method part : FlowClient.class.getMethods()) {
      if (isPart(part) && has(part)) {
        missing.addAll(callsOf(part.getReturnType()));
      }
    }
    missing.removeAll(called);
    assertThat(missing).isEmpty();
  }

  /** The client, which notes the methods that are called, also those of its parts. */
  private static <T> T noting(Class<T> type, Object client, Set<String> called) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              called.add(nameOf(method));
              try {
                Object answer = method.invoke(client, arguments);
                return isPart(method) ? noting(method.getReturnType(), answer, called) : answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return type.cast(proxy);
  }

  /** Whether the method has the calls about one thing, as those about jobs. */
  private static boolean isPart(Method method) {
    return Modifier.isAbstract(method.getModifiers())
        && method.getParameterCount() == 0
        && method.getReturnType().isInterface()
        && method.getReturnType().getSimpleName().endsWith("Client");
  }

  private boolean has(Method part) {
    try {
      part.invoke(fake);
      return true;
    } catch (InvocationTargetException e) {
      assertThat(e.getCause()).isInstanceOf(UnsupportedOperationException.class);
      return false;
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  /** The calls that a client has to make itself, as others are made by these. */
  private static List<String> callsOf(Class<?> client) {
    return Arrays.stream(client.getMethods())
        .filter(method -> Modifier.isAbstract(method.getModifiers()) && !isPart(method))
        .map(RefusedByFakeTest::nameOf)
        .toList();
  }

  private static String nameOf(Method method) {
    return method.getDeclaringClass().getSimpleName()
        + "."
        + method.getName()
        + Arrays.toString(method.getParameterTypes());
  }
}
