package io.asyncflow.dev.speech;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.OneLine;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;

/** The end of a speech job: its files are fetched, and what is to be said of it is printed. */
public final class SpeechReport {
  private static final String WAV = ".wav";

  private SpeechReport() {}

  /**
   * Fetches the WAV and, where there is one, the MP3 beside it, and says how long all took; the
   * last line is the WAV.
   *
   * @param wav where to write it; what is there is replaced
   */
  public static void write(
      FlowClient flow, String jobId, SpeechJob.Speech speech, Path wav, PrintStream out) {
    Download.of(flow, speech.wav(), wav);
    StageTimes.of(flow, jobId).lines().forEach(out::println);
    out.printf(
        Locale.ROOT,
        "The speech is %.1f seconds long (%d paragraphs).%n",
        speech.seconds(),
        speech.paragraphs());
    if (speech.mp3() == null) {
      out.println("There is no MP3: " + OneLine.of(speech.noMp3()));
    } else {
      out.println(Download.of(flow, speech.mp3(), beside(wav)));
    }
    out.println(wav);
  }

  private static Path beside(Path wav) {
    String name = wav.getFileName().toString();
    String stem = name.endsWith(WAV) ? name.substring(0, name.length() - WAV.length()) : name;
    return wav.resolveSibling(stem + ".mp3");
  }
}
