package io.asyncflow.api.codec;

import io.asyncflow.api.AsyncFlowClient;
import io.asyncflow.api.FlowClient;
import io.asyncflow.api.ForwardingFlowClient;
import io.asyncflow.api.NewTask;
import io.asyncflow.api.StoreClient;
import io.asyncflow.api.Transport;

/**
 * A client that seals what it creates and opens what it reads, of tasks, jobs, schedules and
 * objects.
 *
 * <pre>{@code
 * FlowClient flow = new SealingFlowClient(new HttpFlowClient(url, key), codec);
 * }</pre>
 *
 * <p>The calls of a holder ({@code hold}, {@code report}, {@code addJobChildren}, {@code
 * store().put}) are passed on as they are: a worker seals before it knows whether a text is too
 * large for a row. In lists, texts that cannot be opened stay sealed; all other calls throw a
 * {@link CodecException}, and a future fails with it. The calls of {@link #async} seal on the
 * thread that makes them. Thread-safe.
 */
public final class SealingFlowClient extends ForwardingFlowClient {

  private final FlowClient client;
  private final Sealing sealing;

  /**
   * @param client the client that makes the calls
   * @param codec seals and opens
   */
  public SealingFlowClient(FlowClient client, PayloadCodec codec) {
    super(client);
    this.client = client;
    this.sealing = Sealing.by(codec);
  }

  @Override
  public NewTask asSent(NewTask task) {
    return super.asSent(sealing.sealed(task));
  }

  @Override
  public AsyncFlowClient async() {
    return new AsyncFlowClient(new SealingTransport(client.async().transport(), sealing));
  }

  @Override
  public Transport transport() {
    return new SealingTransport(super.transport(), sealing);
  }

  @Override
  public StoreClient store() {
    // The plain calls: they tell whose task a stored text belongs to.
    return new SealingStoreClient(super.store(), client::getTask, client.jobs()::getJob, sealing);
  }
}
