package io.asyncflow.dev.command;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.NewJob;
import io.asyncflow.dev.DevException;
import io.asyncflow.dev.host.OtherThread;
import io.asyncflow.dev.speech.JobDisplay;
import io.asyncflow.dev.speech.SpeechJob;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Has a text spoken as any client of flowsvr would, and gives up when that has become pointless.
 */
final class Demo {
  private final FlowClient flow;
  private final CompletableFuture<String> failure;
  private final JobDisplay display;

  /**
   * Prepares a run.
   *
   * @param failure completes with a sentence when waiting on has become pointless
   */
  Demo(FlowClient flow, CompletableFuture<String> failure, JobDisplay display) {
    this.flow = flow;
    this.failure = failure;
    this.display = display;
  }

  /** What came of it. */
  record Spoken(String jobId, SpeechJob.Speech speech) {}

  /**
   * Has a text spoken and waits for it.
   *
   * @throws DevException in one sentence if there is no speech in the end
   */
  Spoken speak(String text) {
    NewJob job = NewJob.of(SpeechJob.TYPE, "demo", text);
    String jobId = flow.jobs().createJob(job.withIdempotencyKey(UUID.randomUUID().toString()));
    CompletableFuture<SpeechJob.Speech> speech =
        OtherThread.begin("speech", () -> new SpeechJob(flow, jobId).await(display));
    failure.thenAccept(sentence -> speech.completeExceptionally(new DevException(sentence)));
    return new Spoken(jobId, OtherThread.resultOf(speech));
  }
}
