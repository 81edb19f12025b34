package io.asyncflow.systemtest.history;

import io.asyncflow.api.ForwardingJobClient;
import io.asyncflow.api.JobClient;
import io.asyncflow.api.NewJob;
import io.asyncflow.systemtest.history.Event.Draft;
import java.util.List;

/**
 * The jobs of a {@link RecordingFlowClient}: what clients want of them is written down. What a
 * worker asks and sends while it splits and merges is not; the ends of its tasks say what became of
 * it.
 */
final class RecordingJobClient extends ForwardingJobClient {

  private final RecordingFlowClient recording;

  RecordingJobClient(JobClient jobs, RecordingFlowClient recording) {
    super(jobs);
    this.recording = recording;
  }

  @Override
  public String createJob(NewJob job) {
    return recording.recorded(
        phase -> List.of(line(phase, job)),
        () -> super.createJob(job),
        jobId -> List.of(line(Phase.OK, job).task(jobId)));
  }

  private static Draft line(Phase phase, NewJob job) {
    return Event.draft(Act.CREATE_JOB, phase)
        .key(job.idempotencyKey())
        .text(job.jobInput())
        .outcome(job.failurePolicy() == null ? null : job.failurePolicy().name());
  }

  @Override
  public void cancelJob(String jobId, String operator, String reason) {
    recording.recorded(
        phase -> List.of(Event.draft(Act.CANCEL_JOB, phase).task(jobId)),
        () -> {
          super.cancelJob(jobId, operator, reason);
          return jobId;
        },
        id -> List.of(Event.draft(Act.CANCEL_JOB, Phase.OK).task(id)));
  }
}
