package io.asyncflow.api;

import java.io.Reader;

/**
 * The part of flowsvr's contract that is about jobs, as method calls; see {@link FlowClient} for
 * what they throw. Implementations are thread-safe.
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
   * Listens to a job; {@link JobFollower} does so until its end.
   *
   * @param lastEventId the id of the last event that a stream that broke has told; {@code null} for
   *     none
   * @return to be closed by the caller
   */
  JobEvents openJobProgress(String jobId, String lastEventId);

  /**
   * The input of a job, to be closed by the caller. Reading throws an {@link java.io.IOException}
   * where the connection breaks: open it again.
   */
  Reader openJobInput(String jobId);

  /**
   * Sends a page of children of a job that is being split; the same page may be sent again.
   *
   * @throws FlowException with {@link ErrorCode#LEASE_LOST} if this hold of the split has no more
   *     to say
   */
  void addJobChildren(JobChildren children);

  /** Cancels what is left of a job; of one that is cancelled, or being so, nothing. */
  void cancelJob(String jobId);

  /** Runs again what failed or was cancelled of a job that has ended without success. */
  void retryJob(String jobId);
}
