package io.asyncflow.api.codec;

import io.asyncflow.api.ForwardingJobClient;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.JobListRequest;
import io.asyncflow.api.JobPage;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.JobTaskPage;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.codec.Field.Kind;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;

/** The calls about jobs, sealed and opened. */
final class SealingJobClient extends ForwardingJobClient {

  private final Sealing sealing;

  SealingJobClient(JobClient jobs, Sealing sealing) {
    super(jobs);
    this.sealing = sealing;
  }

  @Override
  public String createJob(NewJob job) {
    return super.createJob(sealing.sealed(job));
  }

  @Override
  public Job getJob(String jobId) {
    return sealing.opened(super.getJob(jobId));
  }

  @Override
  public JobPage getJobList(JobListRequest request) {
    return sealing.opened(super.getJobList(request));
  }

  @Override
  public JobTaskPage getJobTasks(String jobId, int limit, String cursor) {
    JobTaskPage page = super.getJobTasks(jobId, limit, cursor);
    if (page.taskList().stream().allMatch(child -> child.result() == null)) {
      return page;
    }
    Job job = super.getJob(jobId);
    Field result = Field.of(Kind.RESULT, job.childType(), job.userId());
    return new JobTaskPage(
        page.taskList().stream().map(child -> openedIfPossible(child, result)).toList(),
        page.nextCursor());
  }

  private JobTask openedIfPossible(JobTask child, Field result) {
    try {
      return child.withResult(sealing.open(result, child.result()));
    } catch (CodecException staysSealed) {
      return child;
    }
  }

  @Override
  public Reader openJobInput(String jobId) {
    Job job = super.getJob(jobId);
    try {
      return sealing.opening(
          Field.of(Kind.INPUT, job.jobType(), job.userId()), super.openJobInput(jobId));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
