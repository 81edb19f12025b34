package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ForwardingClientsTest {

  private static final List<Method> METHODS = Arrays.asList(FlowClient.class.getMethods());

  /** Of the classes of which a call needs one. */
  private static final Map<Class<?>, Object> SOME =
      Map.of(
          String.class,
          "1",
          Duration.class,
          Duration.ZERO,
          TaskPageRequest.class,
          TaskPageRequest.of(),
          HoldRequest.class,
          new HoldRequest("lark", 1, "w", 0, null, null),
          List.class,
          List.of());

  private final List<Method> asked = new ArrayList<>();
  private final List<List<Object>> told = new ArrayList<>();

  @Test
  void everyCallIsPassedOnAsItCame() throws ReflectiveOperationException {
    List<Method> calls =
        METHODS.stream()
            .filter(method -> !isPart(method) && !isTransport(method) && !asksAnother(method))
            .toList();
    assertThat(calls).hasSizeGreaterThan(19);
    callAll(calls);
    assertThat(asked).filteredOn(call -> !isTransport(call)).isEqualTo(calls);
    assertThat(told)
        .isEqualTo(calls.stream().map(call -> Arrays.asList(argumentsOf(call))).toList());
  }

  @Test
  void theCallsOfPartsGoByTheTransportOfTheOther() throws ReflectiveOperationException {
    List<Method> parts = METHODS.stream().filter(ForwardingClientsTest::isPart).toList();
    assertThat(parts).hasSizeGreaterThan(12);
    callAll(parts);
    assertThat(asked).hasSameSizeAs(parts).extracting(Method::getName).containsOnly("transport");
  }

  private void callAll(List<Method> calls) throws ReflectiveOperationException {
    FlowClient client =
        new ForwardingFlowClient(
            client(
                (proxy, method, arguments) -> {
                  asked.add(method);
                  if (!isTransport(method)) {
                    told.add(arguments == null ? List.of() : Arrays.asList(arguments));
                  }
                  return null;
                })) {};
    for (Method call : calls) {
      call.invoke(client, argumentsOf(call));
    }
  }

  private static boolean isTransport(Method method) {
    return method.getName().equals("transport");
  }

  /** Whether it makes its calls by the transport of the client. */
  private static boolean isPart(Method method) {
    return method.isDefault() && method.getReturnType().getSimpleName().endsWith("Client");
  }

  /** Whether what has a body in the interface reaches another client by the calls that it makes. */
  private static boolean asksAnother(Method method) {
    AtomicReference<Method> first = new AtomicReference<>();
    FlowClient client =
        client(
            (proxy, called, arguments) -> {
              if (called.equals(method) && called.isDefault()) {
                return InvocationHandler.invokeDefault(proxy, called, arguments);
              }
              first.compareAndSet(null, called);
              throw new IllegalStateException("this is as far as it goes");
            });
    try {
      method.invoke(client, argumentsOf(method));
    } catch (ReflectiveOperationException e) {
      return !first.get().equals(method) && !isTransport(first.get());
    }
    return false;
  }

  private static Object[] argumentsOf(Method call) {
    return Arrays.stream(call.getParameterTypes())
        .map(parameter -> parameter.isPrimitive() ? zeroOf(parameter) : SOME.get(parameter))
        .toArray();
  }

  private static Object zeroOf(Class<?> primitive) {
    return Array.get(Array.newInstance(primitive, 1), 0);
  }

  private static FlowClient client(InvocationHandler calls) {
    return (FlowClient)
        Proxy.newProxyInstance(
            FlowClient.class.getClassLoader(), new Class<?>[] {FlowClient.class}, calls);
  }
}
