package io.asyncflow.example.tts;

import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageHandler;
import io.asyncflow.worker.StageResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.LinkedList;
import java.util.List;
import javax.sound.sampled.AudioFormat;
import org.springframework.stereotype.Component;

/**
 * Joins the pieces that the context leads to.
 *
 * <p>They stay where they are: until the report is accepted, another run may need them.
 */
@Component
@Stage(type = "tts", stage = "merge")
class MergeStage implements StageHandler {

  private final TtsSettings settings;
  private final SpeechEngine engine;

  MergeStage(TtsSettings settings, SpeechEngine engine) {
    this.settings = settings;
    this.engine = engine;
  }

  @Override
  public StageResult handle(StageContext context) throws IOException {
    Speech speech = context.context(Speech.class);
    TaskFiles files = new TaskFiles(settings.output().directory(speech.outputDir()), context);
    Script script = files.read(speech.script(), Script.class);
    List<Piece> pieces = chainTo(speech.piece(), script.passages().size(), files);
    long frames = pieces.stream().mapToLong(Piece::frames).sum();
    if (frames != speech.frames()) {
      throw new NonRetryableException("The pieces are not as long as the context says.");
    }

    AudioFormat format = engine.format();
    Path wav = files.speech();
    try (InputStream sound = new JoinedPieces(pieces, files, format, context)) {
      Wav.write(wav, sound, frames, format);
    }
    double seconds = Math.round(1000.0 * frames / format.getFrameRate()) / 1000.0;
    return StageResult.done(new SpokenText(wav.toString(), seconds, script.paragraphs()));
  }

  /** Follows the chain from its end, and wants every passage in it exactly once. */
  private static List<Piece> chainTo(String last, int passages, TaskFiles files)
      throws IOException {
    LinkedList<Piece> pieces = new LinkedList<>();
    int end = passages;
    for (String name = last; name != null; name = pieces.getFirst().previous()) {
      Piece piece = files.read(name, Piece.class);
      if (piece.to() != end || piece.from() < 0 || piece.from() >= end) {
        throw new NonRetryableException("The piece " + name + " does not fit the one after it.");
      }
      pieces.addFirst(piece);
      end = piece.from();
    }
    if (end != 0) {
      throw new NonRetryableException("The passages before " + end + " have not been spoken.");
    }
    return pieces;
  }

  /** The task's result. */
  record SpokenText(String wav, double seconds, int paragraphs) {}
}
