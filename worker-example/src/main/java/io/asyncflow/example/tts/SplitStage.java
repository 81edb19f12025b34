package io.asyncflow.example.tts;

import io.asyncflow.api.JobChild;
import io.asyncflow.example.tts.Script.Passage;
import io.asyncflow.worker.JobSplitter;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.SplitContext;
import io.asyncflow.worker.Stage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/**
 * Cuts the text, which is the job's input, into passages: each is a child.
 *
 * <p>Texts that cannot be spoken are refused here, before they use slots.
 */
@Component
@Stage(type = "tts", stage = JobSplitter.STAGE)
class SplitStage implements JobSplitter {

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  /** The maximum number of children of a job. */
  private static final int MOST_PASSAGES = 100_000;

  private final TtsSettings settings;
  private final SpeechEngine engine;

  SplitStage(TtsSettings settings, SpeechEngine engine) {
    this.settings = settings;
    this.engine = engine;
  }

  @Override
  public Stream<JobChild> split(SplitContext job) throws IOException {
    List<Passage> passages = Script.passagesOf(textOf(job), settings.passageLength());
    requireSpeakable(passages);
    return passages.stream().map(passage -> job.child("synthesize", passage));
  }

  private String textOf(SplitContext job) throws IOException {
    String text = job.inputText();
    long length = text.getBytes(StandardCharsets.UTF_8).length;
    if (length > settings.maxText().toBytes()) {
      throw new NonRetryableException(
          "The text has " + length + " bytes; " + settings.maxText().toBytes() + " are spoken.");
    }
    return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
  }

  private void requireSpeakable(List<Passage> passages) {
    if (passages.isEmpty()) {
      throw new NonRetryableException("The text has nothing to speak in it.");
    }
    if (passages.size() > MOST_PASSAGES) {
      throw new NonRetryableException(
          "The text has " + passages.size() + " passages; a job takes " + MOST_PASSAGES + ".");
    }
    for (Passage passage : passages) {
      engine
          .objectionTo(passage.text())
          .ifPresent(
              objection -> {
                throw new NonRetryableException(
                    "Paragraph " + passage.paragraph() + " " + objection + ".");
              });
    }
  }
}
