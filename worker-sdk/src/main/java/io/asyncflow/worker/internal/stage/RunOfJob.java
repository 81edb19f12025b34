package io.asyncflow.worker.internal.stage;

import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.StageContext;
import java.util.Optional;

/** A run of a job's split or merge, with its calls to the server. */
abstract class RunOfJob extends ForwardingContext {

  private final JobRun run;
  private final String jobId;

  /**
   * @throws NonRetryableException if the task belongs to no job
   */
  RunOfJob(StageContext context) {
    super(context);
    if (!(context instanceof JobRun ofWorker)) {
      throw new NonRetryableException("a job is split and merged by a worker; use the harness");
    }
    run = ofWorker;
    jobId =
        run.jobId()
            .orElseThrow(() -> new NonRetryableException(run.taskId() + " belongs to no job"));
  }

  JobRun run() {
    return run;
  }

  String ownJobId() {
    return jobId;
  }

  @Override
  public Optional<String> jobId() {
    return Optional.of(jobId);
  }
}
