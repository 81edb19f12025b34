package io.asyncflow.api;

/**
 * Events over one connection. {@link JobFollower} and {@link io.asyncflow.api.event.EventFollower}
 * open another one when it breaks. Not thread-safe.
 *
 * @param <E> what is told of an event
 */
public interface EventStream<E> extends AutoCloseable {

  /**
   * Waits for the next event.
   *
   * @return {@code null} when the server has ended the stream: after the end of the job, or because
   *     the server stops
   * @throws FlowUnreachableException if the connection broke, or was silent for longer than a live
   *     server ever is
   * @throws InterruptedException if the thread is interrupted
   */
  E next() throws InterruptedException;

  /** Closes the connection. */
  @Override
  void close();
}
