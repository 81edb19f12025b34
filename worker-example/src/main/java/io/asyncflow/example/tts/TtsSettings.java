package io.asyncflow.example.tts;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The settings of the speech stages.
 *
 * @param maxText the longest text, in bytes of UTF-8; 512 kB of English are about eight hours of
 *     speech, or 0.9 GB, and a store accepts objects of up to 1 GB by default
 * @param passageLength a paragraph longer than this, in characters, is cut between its sentences
 * @param pause the silence between two paragraphs
 */
@ConfigurationProperties("example.tts")
record TtsSettings(
    @DefaultValue("512KB") DataSize maxText,
    @DefaultValue("600") int passageLength,
    @DefaultValue("400ms") Duration pause) {

  /** A passage is a context, which holds 4,096 bytes; JSON makes six of a control character. */
  private static final int LONGEST_PASSAGE = 650;

  TtsSettings {
    require("max-text", maxText.toBytes() >= 1 && maxText.toMegabytes() <= 16, "1B to 16MB");
    require(
        "passage-length",
        passageLength >= 20 && passageLength <= LONGEST_PASSAGE,
        "20 to " + LONGEST_PASSAGE);
    require("pause", !pause.isNegative() && pause.toSeconds() <= 60, "0s to 60s");
  }

  private static void require(String property, boolean valid, String range) {
    if (!valid) {
      throw new IllegalArgumentException("example.tts." + property + " must be " + range + ".");
    }
  }
}
