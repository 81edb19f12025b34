package io.asyncflow.api;

import java.util.concurrent.CompletableFuture;

/**
 * Makes calls by the methods that a client has for them, which a subclass may have changed; all
 * others by its transport.
 */
record MethodTransport(FlowClient client, Transport others) implements Transport {

  static Transport of(FlowClient client) {
    return new MethodTransport(client, client.transport());
  }

  @Override
  public <T> T send(Call<T> call) {
    return call.method() == null ? others.send(call) : call.method().apply(client, call);
  }

  /** A call by a method takes a thread. */
  @Override
  public <T> CompletableFuture<T> sendAsync(Call<T> call) {
    return call.method() == null ? others.sendAsync(call) : Transport.super.sendAsync(call);
  }
}
