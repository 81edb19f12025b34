package io.asyncflow.example.tts;

import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.Slot;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import org.springframework.stereotype.Component;

/**
 * Speaks the next passages and hands over to itself, or to {@code merge} when all are spoken.
 *
 * <p>Each run commits its piece, so what a worker that dies has to leave to another is one piece.
 */
@Component
@Stage(type = "tts", stage = "synthesize", slot = true)
class SynthesizeStage implements StageHandler {

  private final TtsSettings settings;
  private final SpeechEngine engine;

  SynthesizeStage(TtsSettings settings, SpeechEngine engine) {
    this.settings = settings;
    this.engine = engine;
  }

  @Override
  public StageResult handle(StageContext context) throws IOException, InterruptedException {
    Speech speech = context.context(Speech.class);
    TaskFiles files = new TaskFiles(settings.output().directory(speech.outputDir()), context);
    Script script = files.read(speech.script(), Script.class);
    requireInside(script, speech.next());

    ByteArrayOutputStream pcm = new ByteArrayOutputStream();
    int to = speak(script, speech.next(), context, pcm);
    Piece piece =
        new Piece(
            files.nameOfRun(),
            speech.piece(),
            speech.next(),
            to,
            pcm.size() / engine.format().getFrameSize());
    Speech longer = speech.with(piece, script);
    if (!Wav.canHold(longer.frames(), engine.format())) {
      throw new NonRetryableException(
          "The speech is too long for one WAV file at paragraph " + longer.spoken() + ".");
    }

    Wav.write(files.wav(piece.name()), pcm.toByteArray(), engine.format());
    files.write(piece);
    return StageResult.next(to < script.passages().size() ? "synthesize" : "merge", longer);
  }

  /** Returns the passage to go on with: one is spoken at least, or the task would never end. */
  private int speak(Script script, int from, StageContext context, ByteArrayOutputStream pcm)
      throws InterruptedException {
    Slot slot = context.slot().orElseThrow();
    int end = Math.min(from + settings.passagesPerRun(), script.passages().size());
    // Half of the time is kept for a last passage as slow as all before it together.
    Duration reserve = context.remaining().dividedBy(2);
    int next = from;
    do {
      if (context.cancelled()) {
        throw new InterruptedException("Cancelled at passage " + next + ".");
      }
      pcm.writeBytes(engine.speak(script.passages().get(next).text(), slot));
      if (script.pauseFollows(next)) {
        pcm.writeBytes(pause());
      }
      next++;
      context.progress(100 * (next - from) / (end - from));
    } while (next < end && context.remaining().compareTo(reserve) > 0);
    return next;
  }

  private byte[] pause() {
    long frames = (long) (settings.pause().toMillis() * engine.format().getFrameRate() / 1000);
    return new byte[Math.toIntExact(frames * engine.format().getFrameSize())];
  }

  private static void requireInside(Script script, int next) {
    if (next < 0 || next >= script.passages().size()) {
      throw new NonRetryableException("The script has no passage " + next + ".");
    }
  }
}
