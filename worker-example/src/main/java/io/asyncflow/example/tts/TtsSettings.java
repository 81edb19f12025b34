package io.asyncflow.example.tts;

import java.nio.file.Path;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How texts are spoken.
 *
 * @param inputDir where clients may have texts read from
 * @param outputDir where clients may have speech written to; made where it is missing
 * @param maxText the longest text, in bytes of UTF-8; 1 MB of English is some 16 hours of speech,
 *     and a WAV file holds 18
 * @param passageLength a paragraph longer than this, in characters, is cut between its sentences
 * @param passagesPerRun how much one run speaks at most, so that a worker that dies costs little
 * @param pause the silence between two paragraphs
 */
@ConfigurationProperties("example.tts")
record TtsSettings(
    @DefaultValue("tts/in") Path inputDir,
    @DefaultValue("tts/out") Path outputDir,
    @DefaultValue("1MB") DataSize maxText,
    @DefaultValue("400") int passageLength,
    @DefaultValue("4") int passagesPerRun,
    @DefaultValue("400ms") Duration pause) {

  TtsSettings {
    require("max-text", maxText.toBytes() >= 1 && maxText.toMegabytes() <= 100, "1B to 100MB");
    require("passage-length", passageLength >= 20 && passageLength <= 10_000, "20 to 10000");
    require("passages-per-run", passagesPerRun >= 1 && passagesPerRun <= 1_000, "1 to 1000");
    require("pause", !pause.isNegative() && pause.toSeconds() <= 60, "0s to 60s");
  }

  AllowedDirectory input() {
    return new AllowedDirectory(inputDir, "input directory", "example.tts.input-dir");
  }

  AllowedDirectory output() {
    return new AllowedDirectory(outputDir, "output directory", "example.tts.output-dir");
  }

  private static void require(String property, boolean valid, String range) {
    if (!valid) {
      throw new IllegalArgumentException("example.tts." + property + " must be " + range + ".");
    }
  }
}
