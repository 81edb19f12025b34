package io.asyncflow.dev.speech;

import io.asyncflow.api.FlowClient;
import io.asyncflow.api.OneLine;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;

/** Downloads the files of a finished speech job and prints a report. */
public final class SpeechReport {
  private static final String WAV = ".wav";

  private SpeechReport() {}

  /**
   * Downloads the WAV and, if there is one, the MP3 into the same directory, and prints the times;
   * the last printed line is the WAV.
   *
   * @param wav the file to write; an existing one is replaced
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
      out.println(Download.of(flow, speech.mp3(), mp3Beside(wav)));
    }
    out.println(wav);
  }

  private static Path mp3Beside(Path wav) {
    String name = wav.getFileName().toString();
    String stem = name.endsWith(WAV) ? name.substring(0, name.length() - WAV.length()) : name;
    return wav.resolveSibling(stem + ".mp3");
  }
}
