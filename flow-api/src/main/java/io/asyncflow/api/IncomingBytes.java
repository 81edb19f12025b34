package io.asyncflow.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The body of an answer as a stream. Unlike a stream of the HTTP client, a read waits for a limited
 * time, and an interrupt ends it in every version of Java, so that a connection that died silently
 * does not block the reader for ever. One thread reads at a time; any thread may close the stream.
 */
final class IncomingBytes extends InputStream implements BodySubscriber<IncomingBytes> {

  /** Bytes; or the failure that ended the body; or neither, at its end. */
  private record Arrival(List<ByteBuffer> bytes, Throwable failure) {}

  private static final long UNKNOWN = -1;

  private final Duration silence;
  private final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
  private final CompletableFuture<Subscription> subscription = new CompletableFuture<>();
  private Iterator<ByteBuffer> following = Collections.emptyIterator();
  private ByteBuffer current = ByteBuffer.allocate(0);
  private long expected = UNKNOWN;
  private long arrived;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private volatile boolean isClosed;

  /**
   * @param silence how long a read waits for the next byte
   */
  IncomingBytes(Duration silence) {
    this.silence = silence;
  }

  /** Sets the length of the body; a read throws if the body ends earlier or is longer. */
  void expect(long bytes) {
    expected = bytes;
  }

  /** Completes at once; the reads wait. */
  @Override
  public CompletionStage<IncomingBytes> getBody() {
    return CompletableFuture.completedStage(this);
  }

  /**
   * Waits for the whole body, which nothing has been read of. Closes the connection if it does not
   * arrive: the HTTP client's time-out ends with the headers.
   *
   * @throws HttpTimeoutException if it is not complete in time
   * @throws IOException if the connection broke
   */
  byte[] within(long nanos) throws IOException, InterruptedException {
    subscription.thenAccept(all -> all.request(Long.MAX_VALUE));
    try {
      ended.get(nanos, TimeUnit.NANOSECONDS);
      return readAllBytes();
    } catch (TimeoutException e) {
      throw new HttpTimeoutException("the answer stopped midway");
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } finally {
      close();
    }
  }

  @Override
  public int read() throws IOException {
    return hasMore() ? current.get() & 0xff : -1;
  }

  /**
   * @throws HttpTimeoutException if no byte arrives in time
   * @throws InterruptedIOException if the thread is interrupted; its flag stays set
   * @throws IOException if the connection broke, or the stream is closed
   */
  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    if (!hasMore()) {
      return -1;
    }
    int count = Math.min(length, current.remaining());
    current.get(target, offset, count);
    return count;
  }

  @Override
  public int available() {
    return current.remaining();
  }

  /** Waits until there is a byte to read; false at the end of the body. */
  private boolean hasMore() throws IOException {
    while (!current.hasRemaining()) {
      if (following.hasNext()) {
        current = following.next();
      } else {
        Arrival arrival = next();
        if (arrival.bytes() == null) {
          arrivals.add(arrival); // for the next read
          requireExpected(arrived < expected);
          return false;
        }
        for (ByteBuffer bytes : arrival.bytes()) {
          arrived += bytes.remaining();
        }
        requireExpected(arrived > expected);
        following = arrival.bytes().iterator();
        subscription.join().request(1);
      }
    }
    return true;
  }

  private void requireExpected(boolean isOther) throws IOException {
    if (expected != UNKNOWN && isOther) {
      close();
      throw new IOException("the body has " + arrived + " bytes instead of " + expected);
    }
  }

  private Arrival next() throws IOException {
    if (isClosed) {
      throw new IOException("the stream is closed");
    }
    Arrival arrival;
    try {
      arrival = arrivals.poll(silence.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      close();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the thread was interrupted");
    }
    if (arrival == null) {
      close();
      throw new HttpTimeoutException("nothing came for " + silence.toMillis() + " ms");
    }
    if (arrival.failure() != null) {
      close();
      throw new IOException(arrival.failure().getMessage(), arrival.failure());
    }
    return arrival;
  }

  /** Closes the connection, unless all of the body has arrived. */
  @Override
  public void close() {
    isClosed = true;
    if (!ended.isDone()) {
      subscription.thenAccept(Subscription::cancel);
    }
    arrivals.add(new Arrival(null, new IOException("the stream is closed"))); // ends a read
  }

  @Override
  public void onSubscribe(Subscription newSubscription) {
    newSubscription.request(1);
    subscription.complete(newSubscription);
  }

  @Override
  public void onNext(List<ByteBuffer> bytes) {
    arrivals.add(new Arrival(bytes, null));
  }

  @Override
  public void onError(Throwable failure) {
    ended.completeExceptionally(failure);
    arrivals.add(new Arrival(null, failure));
  }

  @Override
  public void onComplete() {
    ended.complete(null);
    arrivals.add(new Arrival(null, null));
  }
}
