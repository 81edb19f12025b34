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
 * The body of an answer that may still be on its way: a request's own timeout ends with the
 * headers, so the rest is waited for here. Thread-safe.
 */
final class IncomingBody implements BodySubscriber<IncomingBody> {

  private final BodySubscriber<byte[]> bytes = BodySubscribers.ofByteArray();
  private final CompletableFuture<Subscription> subscription = new CompletableFuture<>();

  /** At once: it is up to {@link #within} to wait. */
  @Override
  public CompletionStage<IncomingBody> getBody() {
    return CompletableFuture.completedStage(this);
  }

  /**
   * The whole body; who does not get it closes the connection.
   *
   * @throws HttpTimeoutException if it is not there in time
   * @throws IOException if the connection broke
   */
  byte[] within(long nanos) throws IOException, InterruptedException {
    boolean complete = false;
    try {
      byte[] all = bytes.getBody().toCompletableFuture().get(nanos, TimeUnit.NANOSECONDS);
      complete = true;
      return all;
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
  public void onSubscribe(Subscription ofBytes) {
    bytes.onSubscribe(ofBytes);
    subscription.complete(ofBytes);
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
