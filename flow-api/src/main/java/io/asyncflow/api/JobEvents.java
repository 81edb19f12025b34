package io.asyncflow.api;

/**
 * The events of a job over one connection; {@link JobFollower} opens another one when it breaks.
 * Not thread-safe.
 */
public interface JobEvents extends AutoCloseable {

  /**
   * Waits for the next event.
   *
   * @return {@code null} when the server has ended the stream: after the end of the job, or because
   *     the server stops
   * @throws FlowUnreachableException if the connection broke, or was silent for longer than a live
   *     server ever is
   * @throws InterruptedException if the thread is interrupted
   */
  JobEvent next() throws InterruptedException;

  /** Closes the connection. */
  @Override
  void close();
}
