package io.asyncflow.example.tts;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The result of a {@code tts} job.
 *
 * @param wav the reference of the WAV
 * @param mp3 the reference of the MP3; {@code null} if there is none
 * @param noMp3 why there is no MP3, as a sentence; {@code null} if there is one
 * @param seconds the length of the speech in seconds
 * @param paragraphs the number of spoken paragraphs
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record SpokenText(String wav, String mp3, String noMp3, double seconds, int paragraphs) {

  SpokenText withMp3(String stored) {
    return new SpokenText(wav, stored, null, seconds, paragraphs);
  }

  SpokenText withoutMp3(String why) {
    return new SpokenText(wav, null, why, seconds, paragraphs);
  }
}
