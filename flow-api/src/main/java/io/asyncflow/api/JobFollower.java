package io.asyncflow.api;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Follows a job to its end, across broken connections and server restarts.
 *
 * <p>It reads the job's events. When the stream ends early, it reads the job's state once and opens
 * another stream; so behind a proxy that passes no events it still learns of the end, some seconds
 * late. Thread-safe.
 */
public final class JobFollower {

  /** The pause before another stream is opened; the server tells browsers the same. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final JobClient jobs;
  private final Duration patience;
  private final Duration pause;
  private final LongSupplier nanos;

  /**
   * @param patience how long no call may succeed before the follower gives up
   */
  public JobFollower(JobClient jobs, Duration patience) {
    this(jobs, patience, PAUSE, System::nanoTime);
  }

  JobFollower(JobClient jobs, Duration patience, Duration pause, LongSupplier nanos) {
    this.jobs = jobs;
    this.patience = patience;
    this.pause = pause;
    this.nanos = nanos;
  }

  /**
   * Returns when the job has ended.
   *
   * @param listener receives each change; its last call, exactly one, is the final state
   * @return the final state
   * @throws FlowUnreachableException if no call has succeeded for too long
   * @throws FlowException if the server refuses the calls, for example because there is no such job
   */
  public JobProgress follow(String jobId, Consumer<JobProgress> listener)
      throws InterruptedException {
    Session session = new Session(jobId, listener);
    while (true) {
      JobProgress end = session.listen();
      if (end == null) {
        end = session.readState();
      }
      if (end != null) {
        return end;
      }
      Thread.sleep(pause.toMillis());
    }
  }

  private final class Session {

    private final String jobId;
    private final Consumer<JobProgress> listener;
    private long lastAnswer = nanos.getAsLong();
    private String lastEventId;
    private JobProgress last;

    private Session(String jobId, Consumer<JobProgress> listener) {
      this.jobId = jobId;
      this.listener = listener;
    }

    /** Returns the final state, or {@code null} if the stream ended before it. */
    JobProgress listen() throws InterruptedException {
      try (EventStream<JobEvent> events = jobs.openJobProgress(jobId, lastEventId)) {
        return read(events);
      } catch (FlowException e) {
        throwUnlessRetryable(e);
        return null;
      }
    }

    private JobProgress read(EventStream<JobEvent> events) throws InterruptedException {
      try {
        for (JobEvent event = events.next(); event != null; event = events.next()) {
          lastEventId = event.id();
          publish(event.progress());
          if (event.isEnd()) {
            return event.progress();
          }
        }
        return null;
      } finally {
        // The server lived until now, or until it fell silent a moment ago, however long the job
        // was
        // quiet: it says so on the stream.
        lastAnswer = nanos.getAsLong();
      }
    }

    /** Returns the final state, or {@code null} if the job has not ended or could not be read. */
    JobProgress readState() throws InterruptedException {
      try {
        JobProgress now = JobProgress.of(jobs.getJob(jobId));
        publish(now);
        return now.state().isFinal() ? now : null;
      } catch (FlowException e) {
        throwUnlessRetryable(e);
        return null;
      }
    }

    private void publish(JobProgress progress) {
      lastAnswer = nanos.getAsLong();
      if (!progress.equals(last)) {
        last = progress;
        listener.accept(progress);
      }
    }

    private void throwUnlessRetryable(FlowException e) throws InterruptedException {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while following job " + jobId);
      }
      if (!e.retryable() || nanos.getAsLong() - lastAnswer > patience.toNanos()) {
        throw e;
      }
    }
  }
}
