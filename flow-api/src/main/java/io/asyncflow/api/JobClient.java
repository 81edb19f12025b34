package io.asyncflow.api;

import java.io.Reader;

/**
 * The calls of flowsvr's contract about jobs; see {@link FlowClient} for the exceptions.
 * Implementations are thread-safe.
 */
public interface JobClient {

  /** Creates a job and returns its id. */
  String createJob(NewJob job);

  /**
   * Reads a job.
   *
   * @throws FlowException with {@link ErrorCode#NO_SUCH_JOB} if there is none
   */
  Job getJob(String jobId);

  /** A page of jobs, newest first. */
  JobPage getJobList(JobListRequest request);

  /**
   * The children of a job in their order.
   *
   * @param limit 1 to 1,000
   * @param cursor of the last page; {@code null} for the first
   */
  JobTaskPage getJobTasks(String jobId, int limit, String cursor);

  /**
   * Opens a stream of a job's events; {@link JobFollower} follows a job until its end.
   *
   * @param lastEventId the id of the last event that an earlier stream has delivered; {@code null}
   *     for none
   * @return the stream; the caller closes it
   */
  JobEvents openJobProgress(String jobId, String lastEventId);

  /**
   * Opens the input of a job; the caller closes it. Reading throws an {@link java.io.IOException}
   * if the connection breaks, or is silent for longer than an answer may take: then open it again.
   * An interrupt ends a read in the same way and leaves the thread's interrupt flag set.
   */
  Reader openJobInput(String jobId);

  /**
   * Adds a page of children to a job that is being split. The same page may be sent again.
   *
   * @throws FlowException with {@link ErrorCode#LEASE_LOST} if this hold of the split may not write
   *     any more
   */
  void addJobChildren(JobChildren children);

  /**
   * Cancels what is left of a job; does nothing if the job is cancelled or being cancelled.
   *
   * @param operator recorded with the act; {@code null} for none
   * @param reason recorded with the act; {@code null} for none
   * @throws FlowException with {@link ErrorCode#TRANSITION_NOT_ALLOWED} if the job has ended
   *     otherwise
   */
  void cancelJob(String jobId, String operator, String reason);

  /** Cancels what is left of a job, without an operator and a reason. */
  default void cancelJob(String jobId) {
    cancelJob(jobId, null, null);
  }

  /**
   * Pauses a job: no child is released, and no task of it that waits is held. Those that run go on.
   * Does nothing if the job is paused already.
   *
   * @param operator recorded with the act; {@code null} for none
   * @param reason recorded with the act; {@code null} for none
   * @throws FlowException with {@link ErrorCode#TRANSITION_NOT_ALLOWED} if the job has ended or is
   *     being cancelled
   */
  void pauseJob(String jobId, String operator, String reason);

  /** Pauses a job without an operator and a reason. */
  default void pauseJob(String jobId) {
    pauseJob(jobId, null, null);
  }

  /** Lets a paused job go on; does nothing if it is not paused. */
  void resumeJob(String jobId, String operator, String reason);

  /** Lets a paused job go on, without an operator and a reason. */
  default void resumeJob(String jobId) {
    resumeJob(jobId, null, null);
  }

  /**
   * Runs the failed and cancelled tasks of a job again; only for a job that has ended without
   * success.
   *
   * @param operator recorded with the act; {@code null} for none
   * @param reason recorded with the act; {@code null} for none
   * @throws FlowException with {@link ErrorCode#TRANSITION_NOT_ALLOWED} for any other job
   */
  void retryJob(String jobId, String operator, String reason);

  /** Runs them again, without an operator and a reason. */
  default void retryJob(String jobId) {
    retryJob(jobId, null, null);
  }
}
