package io.asyncflow.api;

import java.util.concurrent.CompletableFuture;

/**
 * Calls of a {@link JobClient} that do not wait. See {@link AsyncFlowClient} for failures.
 * Implementations are thread-safe.
 */
public interface AsyncJobClient {

  /** As {@link JobClient#createJob}. */
  CompletableFuture<String> createJob(NewJob job);

  /** As {@link JobClient#getJob}. */
  CompletableFuture<Job> getJob(String jobId);

  /** As {@link JobClient#getJobList}. */
  CompletableFuture<JobPage> getJobList(JobListRequest request);

  /** As {@link JobClient#cancelJob(String, String, String)}. */
  CompletableFuture<Void> cancelJob(String jobId, String operator, String reason);
}
