package io.asyncflow.api;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Follows a job to its end, whatever becomes of connections and servers meanwhile.
 *
 * <p>It listens to the job's events. Where these break off it asks how the job is, so that a proxy
 * that lets no events through costs no more than some seconds, and listens again. Thread-safe.
 */
public final class JobFollower {

  /** What the server tells browsers to wait before they come back. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final JobClient jobs;
  private final Duration patience;
  private final Duration pause;

  /**
   * @param patience how long nothing may answer before following is given up
   */
  public JobFollower(JobClient jobs, Duration patience) {
    this(jobs, patience, PAUSE);
  }

  JobFollower(JobClient jobs, Duration patience, Duration pause) {
    this.jobs = jobs;
    this.patience = patience;
    this.pause = pause;
  }

  /**
   * Returns when the job has ended.
   *
   * @param listener told whenever something is new; what it is told last, and once, is the end
   * @return the end
   * @throws FlowUnreachableException if nothing has answered for too long
   * @throws FlowException if the server refuses to tell, as of a job that there is not
   */
  public JobProgress follow(String jobId, Consumer<JobProgress> listener)
      throws InterruptedException {
    Following following = new Following(jobId, listener);
    while (true) {
      JobProgress end = following.listen();
      if (end == null) {
        end = following.ask();
      }
      if (end != null) {
        return end;
      }
      Thread.sleep(pause.toMillis());
    }
  }

  private final class Following {

    private final String jobId;
    private final Consumer<JobProgress> listener;
    private long lastAnswer = System.nanoTime();
    private String lastEventId;
    private JobProgress last;

    private Following(String jobId, Consumer<JobProgress> listener) {
      this.jobId = jobId;
      this.listener = listener;
    }

    /** Returns the end, or {@code null} if the stream ended before that. */
    JobProgress listen() throws InterruptedException {
      try (JobEvents events = jobs.openJobProgress(jobId, lastEventId)) {
        for (JobEvent event = events.next(); event != null; event = events.next()) {
          lastEventId = event.id();
          tell(event.progress());
          if (event.isEnd()) {
            return event.progress();
          }
        }
      } catch (FlowException e) {
        giveUpIfPointless(e);
      }
      return null;
    }

    /** Returns the end, or {@code null} if it is not over, or not known. */
    JobProgress ask() throws InterruptedException {
      try {
        JobProgress now = JobProgress.of(jobs.getJob(jobId));
        tell(now);
        return now.state().isFinal() ? now : null;
      } catch (FlowException e) {
        giveUpIfPointless(e);
        return null;
      }
    }

    private void tell(JobProgress progress) {
      lastAnswer = System.nanoTime();
      if (!progress.equals(last)) {
        last = progress;
        listener.accept(progress);
      }
    }

    private void giveUpIfPointless(FlowException e) throws InterruptedException {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while following job " + jobId);
      }
      if (!e.retryable() || System.nanoTime() - lastAnswer > patience.toNanos()) {
        throw e;
      }
    }
  }
}
