package io.asyncflow.flowsvr.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.Transport;
import io.asyncflow.fake.FakeFlowServer;
import io.asyncflow.flowsvr.model.WrongCalls.Call;
import io.asyncflow.flowsvr.model.WrongCalls.Told;
import java.lang.reflect.InvocationHandler;
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

  /** Those of clients that have a method of their own for another form of the same call. */
  private static final List<String> OTHER_FORMS =
      List.of(
          "/api/schedule/get name", "/api/schedule/get scheduleId", "/api/schedule/save ifVersion");

  /** Methods of the client that send nothing, or what another one sends, and its parts. */
  private static final List<String> WITHOUT_FIELDS =
      List.of("asSent[class io.asyncflow.api.NewTask]", "taskTypes[]", "store[]", "transport[]");

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
    for (Class<?> client : List.of(ForwardingFlowClient.class, StoreClient.class)) {
      Arrays.stream(client.getDeclaredMethods())
          .filter(method -> !method.isDefault() && Modifier.isPublic(method.getModifiers()))
          .forEach(method -> missing.add(nameOf(method)));
    }
    missing.addAll(OTHER_FORMS);
    missing.removeAll(called);
    missing.removeAll(WITHOUT_FIELDS);
    assertThat(missing).isEmpty();
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
