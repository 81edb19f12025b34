package io.asyncflow.api;

import java.io.Reader;
import java.util.Objects;

/**
 * Forwards every call about jobs to another client; see {@link ForwardingFlowClient}. Thread-safe
 * if the other client is.
 */
public abstract class ForwardingJobClient implements JobClient {

  private final JobClient jobs;

  /**
   * @param jobs the client that receives the calls
   */
  protected ForwardingJobClient(JobClient jobs) {
    this.jobs = Objects.requireNonNull(jobs, "jobs");
  }

  @Override
  public String createJob(NewJob job) {
    return jobs.createJob(job);
  }

  @Override
  public Job getJob(String jobId) {
    return jobs.getJob(jobId);
  }

  @Override
  public JobPage getJobList(JobListRequest request) {
    return jobs.getJobList(request);
  }

  @Override
  public JobTaskPage getJobTasks(String jobId, int limit, String cursor) {
    return jobs.getJobTasks(jobId, limit, cursor);
  }

  @Override
  public JobEvents openJobProgress(String jobId, String lastEventId) {
    return jobs.openJobProgress(jobId, lastEventId);
  }

  @Override
  public Reader openJobInput(String jobId) {
    return jobs.openJobInput(jobId);
  }

  @Override
  public void addJobChildren(JobChildren children) {
    jobs.addJobChildren(children);
  }

  @Override
  public void cancelJob(String jobId, String operator, String reason) {
    jobs.cancelJob(jobId, operator, reason);
  }

  @Override
  public void pauseJob(String jobId, String operator, String reason) {
    jobs.pauseJob(jobId, operator, reason);
  }

  @Override
  public void resumeJob(String jobId, String operator, String reason) {
    jobs.resumeJob(jobId, operator, reason);
  }

  @Override
  public void retryJob(String jobId, String operator, String reason) {
    jobs.retryJob(jobId, operator, reason);
  }
}
