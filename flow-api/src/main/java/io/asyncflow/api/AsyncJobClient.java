package io.asyncflow.api;

import java.util.concurrent.CompletableFuture;

/**
 * Calls of a {@link JobClient} that do not wait. See {@link AsyncFlowClient} for failures.
 * Thread-safe.
 *
 * @param transport sends the calls
 */
public record AsyncJobClient(Transport transport) {

  /** As {@link JobClient#createJob}. */
  public CompletableFuture<String> createJob(NewJob job) {
    return transport.sendAsync(JobClient.createCall(job));
  }

  /** As {@link JobClient#getJob}. */
  public CompletableFuture<Job> getJob(String jobId) {
    return transport.sendAsync(JobClient.getCall(jobId));
  }

  /** As {@link JobClient#getJobList}. */
  public CompletableFuture<JobPage> getJobList(JobListRequest request) {
    return transport.sendAsync(JobClient.listCall(request));
  }

  /** As {@link JobClient#cancelJob(String, String, String)}. */
  public CompletableFuture<Void> cancelJob(String jobId, String operator, String reason) {
    return transport.sendAsync(JobClient.cancelCall(jobId, operator, reason));
  }
}
