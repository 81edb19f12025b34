package io.asyncflow.api;

/**
 * What one connection tells of a job, as it happens; {@link JobFollower} asks for another where it
 * breaks. Not thread-safe.
 */
public interface JobEvents extends AutoCloseable {

  /**
   * Waits for the next event.
   *
   * @return {@code null} when the server has ended the stream, be it after the end of the job or
   *     because it stops
   * @throws FlowUnreachableException if the connection broke, or has been silent for longer than a
   *     server is
   * @throws InterruptedException if the thread is interrupted
   */
  JobEvent next() throws InterruptedException;

  /** Closes the connection. */
  @Override
  void close();
}
