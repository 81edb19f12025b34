package io.asyncflow.api;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The lines of an answer without a known end. Unlike an input stream, reading has a time limit, so
 * that a connection that died silently does not block the reader for ever. One thread reads at a
 * time.
 */
final class IncomingLines implements BodySubscriber<IncomingLines> {

  /** A line; or the failure that ended the stream; or neither, at its end. */
  private record Arrival(String line, Throwable failure) {}

  private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
  private final CompletableFuture<Subscription> bytes = new CompletableFuture<>();
  private final CompletableFuture<Subscription> demand = new CompletableFuture<>();
  private final BodySubscriber<Void> decoder =
      BodySubscribers.fromLineSubscriber(
          new Lines(), lines -> null, StandardCharsets.UTF_8, /* any line separator */ null);

  private final class Lines implements Flow.Subscriber<String> {

    @Override
    public void onSubscribe(Subscription subscription) {
      demand.complete(subscription);
      subscription.request(1);
    }

    @Override
    public void onNext(String line) {
      arrivals.add(new Arrival(line, null));
    }

    @Override
    public void onError(Throwable failure) {
      arrivals.add(new Arrival(null, failure));
    }

    @Override
    public void onComplete() {
      arrivals.add(new Arrival(null, null));
    }
  }

  /** Completes at once; {@link #next} waits. */
  @Override
  public CompletionStage<IncomingLines> getBody() {
    return CompletableFuture.completedStage(this);
  }

  /**
   * Waits for the next line.
   *
   * @return {@code null} at the end of the stream
   * @throws HttpTimeoutException if no line arrives in time
   * @throws IOException if the connection broke
   */
  String next(Duration timeout) throws IOException, InterruptedException {
    Arrival arrival = arrivals.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
    if (arrival == null) {
      throw new HttpTimeoutException("nothing came for " + timeout.toSeconds() + " s");
    }
    if (arrival.failure() != null) {
      throw new IOException(arrival.failure().getMessage(), arrival.failure());
    }
    if (arrival.line() != null) {
      demand.join().request(1);
    }
    return arrival.line();
  }

  /** Closes the connection. */
  void cancel() {
    bytes.thenAccept(Subscription::cancel);
  }

  @Override
  public void onSubscribe(Subscription newSubscription) {
    decoder.onSubscribe(newSubscription);
    bytes.complete(newSubscription);
  }

  @Override
  public void onNext(List<ByteBuffer> item) {
    decoder.onNext(item);
  }

  @Override
  public void onError(Throwable failure) {
    decoder.onError(failure);
  }

  @Override
  public void onComplete() {
    decoder.onComplete();
  }
}
