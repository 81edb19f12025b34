package io.asyncflow.example.tts;

import io.asyncflow.worker.Slot;
import java.util.Optional;
import javax.sound.sampled.AudioFormat;

/**
 * Turns text into sound.
 *
 * <p>Thread-safe, as long as no two threads speak on the same slot at the same time.
 */
public interface SpeechEngine {

  /** What {@link #speak} returns; the same for every text. */
  AudioFormat format();

  /**
   * Why this engine cannot speak a text, as the end of a sentence that begins with where the text
   * stands; empty if it can.
   */
  Optional<String> objectionTo(String text);

  /**
   * Speaks a text: the same text gives the same bytes.
   *
   * @param text one that there is no {@linkplain #objectionTo objection} to
   * @param slot the place on a device to do it on
   * @return PCM in the {@link #format()}, without any header
   * @throws InterruptedException if the run was given up
   */
  byte[] speak(String text, Slot slot) throws InterruptedException;
}
