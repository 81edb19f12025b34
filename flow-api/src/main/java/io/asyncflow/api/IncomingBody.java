package io.asyncflow.api;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The body of an answer, which may still be arriving. The HTTP client's time-out ends with the
 * headers; {@link #within} limits the time for the body. Thread-safe.
 */
final class IncomingBody implements BodySubscriber<IncomingBody> {

  private final BodySubscriber<byte[]> bytes = BodySubscribers.ofByteArray();
  private final CompletableFuture<Subscription> subscription = new CompletableFuture<>();

  /** Completes at once; {@link #within} waits. */
  @Override
  public CompletionStage<IncomingBody> getBody() {
    return CompletableFuture.completedStage(this);
  }

  /**
   * Waits for the whole body. Closes the connection if it does not arrive.
   *
   * @throws HttpTimeoutException if it is not complete in time
   * @throws IOException if the connection broke
   */
  byte[] within(long nanos) throws IOException, InterruptedException {
    boolean complete = false;
    try {
      byte[] body = bytes.getBody().toCompletableFuture().get(nanos, TimeUnit.NANOSECONDS);
      complete = true;
      return body;
    } catch (TimeoutException e) {
      throw new HttpTimeoutException("the answer stopped midway");
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } finally {
      if (!complete) {
        subscription.thenAccept(Subscription::cancel);
      }
    }
  }

  @Override
  public void onSubscribe(Subscription newSubscription) {
    bytes.onSubscribe(newSubscription);
    subscription.complete(newSubscription);
  }

  @Override
  public void onNext(List<ByteBuffer> item) {
    bytes.onNext(item);
  }

  @Override
  public void onError(Throwable failure) {
    bytes.onError(failure);
  }

  @Override
  public void onComplete() {
    bytes.onComplete();
  }
}
