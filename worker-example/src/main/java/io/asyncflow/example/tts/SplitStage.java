package io.asyncflow.example.tts;

import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import java.io.IOException;
import java.nio.file.Path;
import org.springframework.stereotype.Component;

/**
 * Reads the text and cuts it.
 *
 * <p>What can be refused is refused here, before any time of a slot is spent on it.
 */
@Component
@Stage(type = "tts", stage = "split")
class SplitStage implements StageHandler {

  private final TtsSettings settings;
  private final SpeechEngine engine;

  SplitStage(TtsSettings settings, SpeechEngine engine) {
    this.settings = settings;
    this.engine = engine;
  }

  @Override
  public StageResult handle(StageContext context) throws IOException {
    SpeechRequest request = context.context(SpeechRequest.class);
    Path textFile = settings.input().file(request.textFile());
    Path outputDir = settings.output().directory(request.outputDir());

    Script script =
        Script.of(TextFile.read(textFile, settings.maxText()), settings.passageLength());
    requireSpeakable(script, textFile);

    TaskFiles files = new TaskFiles(outputDir, context);
    files.write(script);
    return StageResult.next(
        "synthesize", Speech.start(request, script.paragraphs(), files.nameOfRun()));
  }

  private void requireSpeakable(Script script, Path textFile) {
    if (script.passages().isEmpty()) {
      throw new NonRetryableException("The text file " + textFile + " has nothing to speak in it.");
    }
    for (Script.Passage passage : script.passages()) {
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
