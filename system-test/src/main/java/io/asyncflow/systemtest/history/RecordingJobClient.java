package io.asyncflow.systemtest.history;

import io.asyncflow.api.Job;
import io.asyncflow.api.JobChildren;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.NewJob;
import io.asyncflow.systemtest.history.Event.Draft;
import java.io.Reader;
import java.util.List;

/**
 * The jobs of a {@link RecordingFlowClient}: what clients want of them is written down. What a
 * worker asks and sends while it splits and merges is not; the ends of its tasks say what became of
 * it.
 */
record RecordingJobClient(JobClient jobs, RecordingFlowClient recording) implements JobClient {

  @Override
  public String createJob(NewJob job) {
    return recording.recorded(
        phase -> List.of(line(phase, job)),
        () -> jobs.createJob(job),
        jobId -> List.of(line(Phase.OK, job).task(jobId)));
  }

  private static Draft line(Phase phase, NewJob job) {
    return Event.draft(Act.CREATE_JOB, phase)
        .key(job.idempotencyKey())
        .text(job.jobInput())
        .outcome(job.failurePolicy() == null ? null : job.failurePolicy().name());
  }

  @Override
  public void cancelJob(String jobId) {
    recording.recorded(
        phase -> List.of(Event.draft(Act.CANCEL_JOB, phase).task(jobId)),
        () -> {
          jobs.cancelJob(jobId);
          return jobId;
        },
        id -> List.of(Event.draft(Act.CANCEL_JOB, Phase.OK).task(id)));
  }

  @Override
  public Job getJob(String jobId) {
    return jobs.getJob(jobId);
  }

  @Override
  public JobTaskPage getJobTasks(String jobId, int limit, String cursor) {
    return jobs.getJobTasks(jobId, limit, cursor);
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
  public void retryJob(String jobId) {
    jobs.retryJob(jobId);
  }
}
