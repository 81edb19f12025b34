package io.asyncflow.systemtest.scenario;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.FlowException;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.Transport;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Several servers as one: stays with a server as long as it answers, and asks the next one the next
 * time when it does not. Thread-safe.
 */
public final class FailoverFlowClient {

  private final List<FlowClient> clients;
  private final AtomicInteger failures = new AtomicInteger();

  private FailoverFlowClient(List<FlowClient> clients) {
    this.clients = List.copyOf(clients);
  }

  /** A client of all these servers, that begins with the first. */
  public static FlowClient of(List<FlowClient> clients) {
    return new FailoverFlowClient(clients).all(FlowClient.class, Function.identity());
  }

  /**
   * All clients as one, or what is the same part of each.
   *
   * @param part of a client
   */
  private <T> T all(Class<T> type, Function<FlowClient, T> part) {
    Object one =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getReturnType() == Transport.class) {
                return all(Transport.class, FlowClient::transport);
              }
              if (method.getReturnType() == StoreClient.class) {
                return all(StoreClient.class, FlowClient::store);
              }
              return method.getReturnType().getSimpleName().endsWith("Client")
                  ? InvocationHandler.invokeDefault(proxy, method, arguments) // by the transport
                  : ask(part, method, arguments);
            });
    return type.cast(one);
  }

  private Object ask(Function<FlowClient, ?> part, Method method, Object[] arguments)
      throws Throwable {
    int seen = failures.get();
    try {
      return method.invoke(part.apply(clients.get(seen % clients.size())), arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof FlowException refusal && refusal.retryable()) {
        failures.compareAndSet(seen, seen + 1);
      }
      throw e.getCause();
    }
  }
}
