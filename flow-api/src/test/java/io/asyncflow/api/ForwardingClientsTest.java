package io.asyncflow.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.schedule.ForwardingScheduleClient;
import io.asyncflow.api.schedule.ScheduleClient;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ForwardingClientsTest {

  private final List<Method> asked = new ArrayList<>();

  @Test
  void everyCallIsPassedOnAsItCame() throws ReflectiveOperationException {
    assertEachReaches(FlowClient.class, new ForwardingFlowClient(writing(FlowClient.class)) {});
    assertEachReaches(JobClient.class, new ForwardingJobClient(writing(JobClient.class)) {});
    assertEachReaches(
        ScheduleClient.class, new ForwardingScheduleClient(writing(ScheduleClient.class)) {});
  }

  /** What has a body in the interface reaches another client by the calls that it makes. */
  private <T> void assertEachReaches(Class<T> type, T client) throws ReflectiveOperationException {
    List<Method> calls =
        Arrays.stream(type.getMethods())
            .filter(method -> Modifier.isAbstract(method.getModifiers()))
            .toList();
    asked.clear();
    for (Method call : calls) {
      Object[] arguments =
          Arrays.stream(call.getParameterTypes())
              .map(parameter -> parameter.isPrimitive() ? zeroOf(parameter) : null)
              .toArray();
      call.invoke(client, arguments);
    }
    assertThat(asked).isEqualTo(calls);
  }

  private static Object zeroOf(Class<?> primitive) {
    return Array.get(Array.newInstance(primitive, 1), 0);
  }

  private <T> T writing(Class<T> type) {
    Object written =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              asked.add(method);
              return null;
            });
    return type.cast(written);
  }
}
