package io.asyncflow.api;

import java.util.Objects;

/**
 * Forwards every call to another client. A subclass changes some of the calls, for example to
 * measure or repeat them: those about tasks by their methods, and all by its {@link #transport()}.
 * Thread-safe if the other client is.
 */
public abstract class ForwardingFlowClient implements FlowClient {

  private final FlowClient client;

  /**
   * @param client the client that receives the calls
   */
  protected ForwardingFlowClient(FlowClient client) {
    this.client = Objects.requireNonNull(client, "client");
  }

  @Override
  public NewTask asSent(NewTask task) {
    return client.asSent(task);
  }

  @Override
  public StoreClient store() {
    return client.store();
  }

  /** Makes the calls about tasks by the methods of the other client, which may change them, too. */
  @Override
  public Transport transport() {
    return MethodTransport.of(client);
  }
}
