package io.asyncflow.systemtest.history;

import io.asyncflow.api.Call;
import io.asyncflow.api.NewJob;
import io.asyncflow.api.Transport;
import java.util.List;

/**
 * The jobs of a {@link RecordingFlowClient}: what clients want of them is written down. What a
 * worker asks and sends while it splits and merges is not; the ends of its tasks say what became of
 * it.
 */
record RecordingTransport(Transport transport, RecordingFlowClient recording) implements Transport {

  @Override
  public <T> T send(Call<T> call) {
    return switch (call.path()) {
      case "/api/job/createJob" -> {
        NewJob job = (NewJob) call.fields().get("jobData");
        yield recording.recorded(
            phase -> List.of(line(phase, job)),
            () -> transport.send(call),
            jobId -> List.of(line(Phase.OK, job).task((String) jobId)));
      }
      case "/api/job/cancel" -> {
        String jobId = (String) call.fields().get("jobId");
        yield recording.recorded(
            phase -> List.of(Event.draft(Act.CANCEL_JOB, phase).task(jobId)),
            () -> transport.send(call),
            cancelled -> List.of(Event.draft(Act.CANCEL_JOB, Phase.OK).task(jobId)));
      }
      default -> transport.send(call);
    };
  }

  private static Event line(Phase phase, NewJob job) {
    return Event.draft(Act.CREATE_JOB, phase)
        .key(job.idempotencyKey())
        .text(job.jobInput())
        .outcome(job.failurePolicy() == null ? null : job.failurePolicy().name());
  }
}
