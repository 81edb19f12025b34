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
   * Why this engine cannot speak a text, as the end of a sentence that begins with the text's
   * place; empty if it can.
   */
  Optional<String> objectionTo(String text);

  /**
   * Speaks a text; deterministic: equal texts give equal bytes.
   *
   * @param text a text without an {@linkplain #objectionTo objection}
   * @param slot the slot to use
   * @return PCM in the {@link #format()}, without a header
   * @throws InterruptedException if the run was interrupted
   */
  byte[] speak(String text, Slot slot) throws InterruptedException;
}
