package io.asyncflow.dev.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asyncflow.api.JobProgress;
import io.asyncflow.api.JobState;
import io.asyncflow.api.JobTask;
import io.asyncflow.api.TaskStatus;
import io.asyncflow.dev.speech.JobDisplay;
import io.asyncflow.dev.speech.SpeechJob;
import io.asyncflow.dev.speech.StageTimes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DemoTest {
  private final ScriptedJobs flow = new ScriptedJobs();
  private final CompletableFuture<String> failure = new CompletableFuture<>();
  private final List<String> shown = new ArrayList<>();
  private final Demo demo = new Demo(flow, failure, new Recorded());

  @Test
  void jobHasTheTextAndItsResultIsTheSpeech() {
    flow.tells(JobState.SPLITTING, null, 0, 0);
    flow.tells(JobState.RUNNING, 3, 1, 0);
    flow.tells(JobState.SUCCESS, 3, 3, 0);
    flow.result = "{\"wav\":\"the wav\",\"noMp3\":\"No.\",\"seconds\":12.3,\"paragraphs\":2}";
    for (long costMs : new long[] {1_000, 4_000, 3_000}) {
      flow.children.add(child(TaskStatus.SUCCESS, null, costMs));
    }

    Demo.Spoken spoken = demo.speak("Hello.");

    assertThat(spoken.jobId()).isEqualTo("7");
    assertThat(spoken.speech()).isEqualTo(new SpeechJob.Speech("the wav", null, "No.", 12.3, 2));
    assertThat(StageTimes.of(flow, "7").lines())
        .containsExactly(
            "split       1.50 s",
            "synthesize  8.00 s in 3 parts, 3.00 s the median",
            "merge       2.50 s");
    assertThat(flow.created)
        .singleElement()
        .satisfies(
            job -> {
              assertThat(job.jobType()).isEqualTo("tts");
              assertThat(job.jobInput()).isEqualTo("Hello.");
              assertThat(job.idempotencyKey()).isNotBlank();
            });
    assertThat(shown).containsExactly("splitting", "1 of 3", "3 of 3", "end");
  }

  @Test
  void failedSplitIsToldWithTheHandlersWords() {
    flow.tells(JobState.FAILED, null, 0, 0);
    flow.errMsg =
        "io.asyncflow.worker.NonRetryableException: Paragraph 2 has letters that are not English."
            + "\n  at io.asyncflow.example.tts.SplitStage";
    assertThatThrownBy(() -> demo.speak("Hello."))
        .hasMessage("The text was not spoken: Paragraph 2 has letters that are not English.");
  }

  @Test
  void failedPartsAreToldEachWithItsReason() {
    flow.tells(JobState.FAILED, 13, 1, 12);
    flow.children.add(child(TaskStatus.SUCCESS, null, 1L));
    IntStream.range(0, 12)
        .forEach(
            i -> flow.children.add(child(TaskStatus.FAILED, "java.io.IOException: Hoarse.", 1L)));
    assertThatThrownBy(() -> demo.speak("Hello."))
        .message()
        .startsWith(
            "The text was not spoken: 12 of 13 parts failed.\n  part 2: Hoarse.\n  part 3: ")
        .endsWith("part 11: Hoarse.\n  and 2 more");
  }

  @Test
  void failureWithoutAReasonIsToldToo() {
    flow.tells(JobState.FAILED, null, 0, 0);
    assertThatThrownBy(() -> demo.speak("Hello."))
        .hasMessage("The text was not spoken: flowsvr does not say why.");
  }

  @Test
  void cancelledJobIsToldToBeSo() {
    flow.tells(JobState.CANCELLED, 3, 1, 0);
    assertThatThrownBy(() -> demo.speak("Hello."))
        .hasMessage("The text was not spoken: somebody cancelled it.");
  }

  @Test
  void deadWorkerEndsTheWait() {
    failure.complete("worker-example ended with exit code 1; its log is /logs/worker.log.");
    assertThatThrownBy(() -> demo.speak("Hello."))
        .hasMessage("worker-example ended with exit code 1; its log is /logs/worker.log.");
  }

  private JobTask child(TaskStatus status, String errMsg, Long costMs) {
    int index = flow.children.size();
    return new JobTask(
        index,
        index + "_tts_task_1",
        "synthesize",
        status.code(),
        null,
        null,
        errMsg,
        costMs,
        null);
  }

  private final class Recorded implements JobDisplay {
    @Override
    public void show(JobProgress progress) {
      shown.add(JobDisplay.words(progress));
    }

    @Override
    public void end() {
      shown.add("end");
    }
  }
}
