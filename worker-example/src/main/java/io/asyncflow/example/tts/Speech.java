package io.asyncflow.example.tts;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The context of a {@code tts} task from {@code split} on: how far it is, and where its latest
 * piece lies.
 *
 * @param paragraphs how many the text has
 * @param spoken how many of them are spoken
 * @param script the name of the {@link Script}
 * @param next the passage of the script to speak next, from 0
 * @param piece the name of the latest {@link Piece}; {@code null} before the first
 * @param frames how long the speech is up to here
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Speech(
    String textFile,
    String outputDir,
    int paragraphs,
    int spoken,
    String script,
    int next,
    String piece,
    long frames) {

  static Speech start(SpeechRequest request, int paragraphs, String script) {
    return new Speech(request.textFile(), request.outputDir(), paragraphs, 0, script, 0, null, 0);
  }

  /** The speech with one more piece. */
  Speech with(Piece latest, Script whole) {
    return new Speech(
        textFile,
        outputDir,
        paragraphs,
        whole.paragraphsBefore(latest.to()),
        script,
        latest.to(),
        latest.name(),
        frames + latest.frames());
  }
}
