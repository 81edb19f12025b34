package io.asyncflow.example.tts;

import io.asyncflow.example.tts.Script.Passage;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import java.io.IOException;
import org.springframework.stereotype.Component;

/** Speaks one passage on a slot, and stores its sound. */
@Component
@Stage(type = "tts", stage = "synthesize", slot = true)
class SynthesizeStage implements StageHandler {

  private final SpeechEngine engine;

  SynthesizeStage(SpeechEngine engine) {
    this.engine = engine;
  }

  @Override
  public StageResult handle(StageContext context) throws IOException, InterruptedException {
    Passage passage = context.context(Passage.class);
    byte[] pcm = engine.speak(passage.text(), context.slot().orElseThrow());
    long frames = pcm.length / engine.format().getFrameSize();
    try (TemporaryFile wav = TemporaryFile.create("passage.wav")) {
      Wav.write(wav.path(), pcm, engine.format());
      String sound = context.store("passage.wav", wav.path());
      return StageResult.done(new Piece(sound, passage.paragraph(), frames));
    }
  }
}
