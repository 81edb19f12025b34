package io.asyncflow.dev.speech;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.Job;
import io.asyncflow.api.JobFollower;
import io.asyncflow.api.JobProgress;
import io.asyncflow.api.JobState;
import io.asyncflow.dev.DevException;
import java.time.Duration;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** A job of the example worker that speaks a text, seen as by any client of flowsvr. */
public final class SpeechJob {
  /** The type of the job. */
  public static final String TYPE = "tts";

  /** Long enough for a restart of the server, or for another to take over. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final JsonMapper JSON = new JsonMapper();

  private final FlowClient flow;
  private final String jobId;

  public SpeechJob(FlowClient flow, String jobId) {
    this.flow = flow;
    this.jobId = jobId;
  }

  /**
   * The job's result.
   *
   * @param wav the reference of the WAV
   * @param mp3 the reference of the MP3; {@code null} if there is none
   * @param noMp3 why there is no MP3; {@code null} if there is one
   */
  public record Speech(String wav, String mp3, String noMp3, double seconds, int paragraphs) {}

  /**
   * Waits until the text is spoken.
   *
   * @throws DevException if the text was not spoken; the message states the reason
   * @throws io.asyncflow.api.FlowUnreachableException if the server stays unavailable
   */
  public Speech await(JobDisplay display) {
    JobProgress end = follow(display);
    Job job = flow.jobs().getJob(jobId);
    if (end.state() != JobState.SUCCESS) {
      throw new DevException("The text was not spoken: " + JobFailure.of(flow.jobs(), job));
    }
    try {
      return JSON.readValue(job.result(), Speech.class);
    } catch (JacksonException | IllegalArgumentException e) {
      throw new DevException("Job " + jobId + " is none of the example worker's.", e);
    }
  }

  private JobProgress follow(JobDisplay display) {
    try {
      return new JobFollower(flow.jobs(), PATIENCE).follow(jobId, display::show);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DevException("Waiting for the speech was interrupted.", e);
    } finally {
      display.end();
    }
  }
}
