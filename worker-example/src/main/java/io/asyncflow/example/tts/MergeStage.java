package io.asyncflow.example.tts;

import io.asyncflow.worker.JobMerger;
import io.asyncflow.worker.MergeContext;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.Stage;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Iterator;
import javax.sound.sampled.AudioFormat;
import org.springframework.stereotype.Component;

/**
 * Joins the sounds of the children into one WAV and, if ffmpeg is installed, one MP3.
 *
 * <p>Regardless of the text's length, only a page of results and a sound buffer are in memory. The
 * results are read twice, because a WAV begins with its length.
 */
@Component
@Stage(type = "tts", stage = JobMerger.STAGE)
class MergeStage implements JobMerger {

  private final TtsSettings settings;
  private final SpeechEngine engine;
  private final Mp3Encoder mp3;

  MergeStage(TtsSettings settings, SpeechEngine engine, Mp3Encoder mp3) {
    this.settings = settings;
    this.engine = engine;
    this.mp3 = mp3;
  }

  @Override
  public StageResult merge(MergeContext job) throws IOException, InterruptedException {
    AudioFormat format = engine.format();
    Length length = lengthOf(job);
    if (!Wav.canHold(length.frames(), format)) {
      throw new NonRetryableException("The speech is too long for one WAV file.");
    }
    try (TemporaryFile wav = TemporaryFile.create("speech.wav")) {
      try (InputStream sound = soundOf(job, length)) {
        Wav.write(wav.path(), sound, length.frames(), format);
      }
      String stored = job.store("speech.wav", wav.path());
      double seconds = Math.round(1000.0 * length.frames() / format.getFrameRate()) / 1000.0;
      SpokenText spoken = new SpokenText(stored, null, null, seconds, length.paragraphs());
      return StageResult.done(withMp3(spoken, job, wav.path()));
    }
  }

  private SpokenText withMp3(SpokenText spoken, StageContext job, Path wav)
      throws IOException, InterruptedException {
    try (TemporaryFile file = TemporaryFile.create("speech.mp3")) {
      String why = mp3.encode(wav, file.path(), job.remaining());
      return why == null
          ? spoken.withMp3(job.store("speech.mp3", file.path()))
          : spoken.withoutMp3(why);
    }
  }

  /**
   * @param pieces the number of pieces
   * @param frames the number of frames, including the pauses between paragraphs
   */
  private record Length(int pieces, int paragraphs, long frames) {}

  private Length lengthOf(MergeContext job) {
    int pieces = 0;
    int paragraphs = 0;
    int before = 0;
    long frames = 0;
    for (Iterator<Piece> all = piecesOf(job); all.hasNext(); ) {
      Piece piece = all.next();
      pieces++;
      paragraphs += piece.paragraph() == before ? 0 : 1;
      before = piece.paragraph();
      frames += piece.frames();
    }
    return new Length(pieces, paragraphs, frames + Math.max(0, paragraphs - 1) * framesOfPause());
  }

  private InputStream soundOf(MergeContext job, Length length) {
    int bytes = Math.toIntExact(framesOfPause() * engine.format().getFrameSize());
    return new JoinedPieces(piecesOf(job), length.pieces(), new byte[bytes], engine.format(), job);
  }

  private long framesOfPause() {
    return (long) (settings.pause().toMillis() * engine.format().getFrameRate() / 1000);
  }

  private static Iterator<Piece> piecesOf(MergeContext job) {
    return job.children().map(child -> child.result(Piece.class)).iterator();
  }
}
