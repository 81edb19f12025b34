package io.asyncflow.api.event;

/**
 * A stream of events over one connection; {@link EventFollower} opens another one when it breaks.
 * Not thread-safe.
 */
public interface EventConnection extends AutoCloseable {

  /**
   * Waits for the next event.
   *
   * @return {@code null} when the server has ended the stream, because it stops
   * @throws io.asyncflow.api.FlowUnreachableException if the connection broke, or was silent for
   *     longer than a live server ever is
   * @throws InterruptedException if the thread is interrupted
   */
  FollowedEvent next() throws InterruptedException;

  /** Closes the connection. */
  @Override
  void close();
}
