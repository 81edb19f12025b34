package io.asyncflow.flowsvr.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.Transport;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.flowsvr.model.WrongCalls.Call;
import io.asyncflow.flowsvr.model.WrongCalls.Told;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
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

  /** Those of clients that have a method of their own for another form of the same call. */
  private static final List<String> OTHER_FORMS =
      List.of(
          "/api/schedule/get name", "/api/schedule/get scheduleId", "/api/schedule/save ifVersion");

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
  void everyCallThatTheFakeAnswersHasWrongOnes() {
    Set<String> called = new TreeSet<>();
    FlowClient noting = noting(called);
    WrongCalls.all().stream()
        .filter(call -> !call.isWire() && call.told().code() != 0)
        .forEach(call -> call.madeBy(noting));

    List<String> missing = new ArrayList<>(fake.answeredPaths());
    for (Class<?> client : List.of(FlowClient.class, StoreClient.class)) {
      Arrays.stream(client.getDeclaredMethods())
          .filter(client == FlowClient.class ? RefusedByFakeTest::sends : one -> !one.isDefault())
          .forEach(method -> missing.add(nameOf(method)));
    }
    assertThat(missing).hasSizeGreaterThan(fake.answeredPaths().size() + 18);
    missing.addAll(OTHER_FORMS);
    missing.removeAll(called);
    assertThat(missing).isEmpty();
  }

  /**
   * Whether a method of the client sends a call itself: asks it for its transport, and no other.
   */
  private static boolean sends(Method method) {
    List<String> asked = new ArrayList<>();
    FlowClient client =
        proxy(
            FlowClient.class,
            (self, called, arguments) -> {
              if (called.equals(method) && called.isDefault()) {
                return InvocationHandler.invokeDefault(self, called, arguments);
              }
              asked.add(called.getName());
              throw new IllegalStateException("this is as far as it goes");
            });
    Object[] arguments =
        Arrays.stream(method.getParameterTypes())
            .map(parameter -> parameter == boolean.class ? false : null)
            .toArray();
    try {
      answerOf(client, method, arguments);
    } catch (Throwable asFarAsItGoes) {
      // It has asked.
    }
    return asked.equals(List.of("transport"))
        && !method.getName().equals("transport")
        && !method.getReturnType().getSimpleName().endsWith("Client");
  }

  /** The client, which notes its methods that are called, and the paths of all calls. */
  private FlowClient noting(Set<String> called) {
    Transport transport =
        new Transport() {
          @Override
          public <T> T send(io.asyncflow.api.Call<T> call) {
            called.add(call.path());
            call.fields().keySet().forEach(field -> called.add(call.path() + " " + field));
            return fake.transport().send(call);
          }
        };
    StoreClient store =
        proxy(
            StoreClient.class,
            (self, method, arguments) -> {
              called.add(nameOf(method));
              return answerOf(fake.store(), method, arguments);
            });
    return proxy(
        FlowClient.class,
        (self, method, arguments) -> {
          called.add(nameOf(method));
          if (method.getReturnType() == Transport.class) {
            return transport;
          }
          return method.getReturnType() == StoreClient.class
              ? store
              : InvocationHandler.invokeDefault(self, method, arguments);
        });
  }

  private static Object answerOf(Object client, Method method, Object... arguments)
      throws Throwable {
    try {
      return method.invoke(client, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler calls) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, calls));
  }

  private static String nameOf(Method method) {
    return method.getName() + Arrays.toString(method.getParameterTypes());
  }
}
