package io.asyncflow.api;

import java.io.Reader;
import java.util.stream.Collectors;

/**
 * The calls of flowsvr's contract about jobs; see {@link FlowClient} for the exceptions.
 * Thread-safe.
 *
 * @param transport sends the calls
 */
public record JobClient(Transport transport) {

  private static final Answer<String> JOB_ID = Answer.of(Created.class, Created::jobId);
  private static final Answer<Job> JOB = Answer.of(Found.class, Found::jobData);

  private record Created(String jobId) {}

  private record Found(Job jobData) {}

  /** Creates a job and returns its id. */
  public String createJob(NewJob job) {
    return transport.send(createCall(job));
  }

  /**
   * Reads a job.
   *
   * @throws FlowException with {@link ErrorCode#NO_SUCH_JOB} if there is none
   */
  public Job getJob(String jobId) {
    return transport.send(getCall(jobId));
  }

  /** A page of jobs, newest first. */
  public JobPage getJobList(JobListRequest request) {
    return transport.send(listCall(request));
  }

  /**
   * The children of a job in their order.
   *
   * @param limit 1 to 1,000
   * @param cursor of the last page; {@code null} for the first
   */
  public JobTaskPage getJobTasks(String jobId, int limit, String cursor) {
    return transport.send(
        Call.to("/api/job/getJobTasks", JobTaskPage.class)
            .with("jobId", jobId)
            .with("limit", limit)
            .with("cursor", cursor));
  }

  /**
   * Opens a stream of a job's events; {@link JobFollower} follows a job until its end.
   *
   * @param lastEventId the id of the last event that an earlier stream has delivered; {@code null}
   *     for none
   * @return the stream; the caller closes it
   */
  public EventStream<JobEvent> openJobProgress(String jobId, String lastEventId) {
    return transport.send(
        Call.to("/api/job/progress", Answer.JOB_EVENTS)
            .with("jobId", jobId)
            .with(Call.LAST_EVENT_ID, lastEventId));
  }

  /**
   * Opens the input of a job; the caller closes it. Reading throws an {@link java.io.IOException}
   * if the connection breaks, or is silent for longer than an answer may take: then open it again.
   * An interrupt ends a read in the same way and leaves the thread's interrupt flag set.
   */
  public Reader openJobInput(String jobId) {
    return transport.send(Call.to("/api/job/getJobInput", Answer.TEXT).with("jobId", jobId));
  }

  /**
   * Adds a page of children to a job that is being split. The same page may be sent again.
   *
   * @throws FlowException with {@link ErrorCode#LEASE_LOST} if this hold of the split may not write
   *     any more
   */
  public void addJobChildren(JobChildren children) {
    transport.send(Call.to("/api/job/addChildren").withBody(children));
  }

  /**
   * Cancels what is left of a job; does nothing if the job is cancelled or being cancelled.
   *
   * @param operator recorded with the act; {@code null} for none
   * @param reason recorded with the act; {@code null} for none
   * @throws FlowException with {@link ErrorCode#TRANSITION_NOT_ALLOWED} if the job has ended
   *     otherwise
   */
  public void cancelJob(String jobId, String operator, String reason) {
    transport.send(cancelCall(jobId, operator, reason));
  }

  /** Cancels what is left of a job, without an operator and a reason. */
  public void cancelJob(String jobId) {
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
  public void pauseJob(String jobId, String operator, String reason) {
    transport.send(Call.to("/api/job/pause").with("jobId", jobId).by(operator, reason));
  }

  /** Pauses a job without an operator and a reason. */
  public void pauseJob(String jobId) {
    pauseJob(jobId, null, null);
  }

  /** Lets a paused job go on; does nothing if it is not paused. */
  public void resumeJob(String jobId, String operator, String reason) {
    transport.send(Call.to("/api/job/resume").with("jobId", jobId).by(operator, reason));
  }

  /** Lets a paused job go on, without an operator and a reason. */
  public void resumeJob(String jobId) {
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
  public void retryJob(String jobId, String operator, String reason) {
    transport.send(Call.to("/api/job/retry").with("jobId", jobId).by(operator, reason));
  }

  /** Runs them again, without an operator and a reason. */
  public void retryJob(String jobId) {
    retryJob(jobId, null, null);
  }

  static Call<String> createCall(NewJob job) {
    return Call.to("/api/job/createJob", JOB_ID).with("jobData", job);
  }

  static Call<Job> getCall(String jobId) {
    return Call.to("/api/job/getJob", JOB).with("jobId", jobId);
  }

  static Call<JobPage> listCall(JobListRequest request) {
    String states = request.states().stream().map(JobState::name).collect(Collectors.joining(","));
    return Call.to("/api/job/getJobList", JobPage.class)
        .with("userId", request.userId())
        .with("jobType", request.jobType())
        .with("state", states)
        .with("limit", request.limit())
        .with("cursor", request.cursor());
  }

  static Call<Void> cancelCall(String jobId, String operator, String reason) {
    return Call.to("/api/job/cancel").with("jobId", jobId).by(operator, reason);
  }
}
