package io.asyncflow.example.tts;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The result of a {@code tts} job.
 *
 * @param wav a reference to it
 * @param mp3 a reference to it; {@code null} if there is none
 * @param noMp3 why there is none, as a sentence; {@code null} if there is one
 * @param seconds how long it is
 * @param paragraphs how many were spoken
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
