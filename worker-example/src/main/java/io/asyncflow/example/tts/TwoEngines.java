package io.asyncflow.example.tts;

import io.asyncflow.worker.Slot;
import java.util.Optional;
import javax.sound.sampled.AudioFormat;

/**
 * Speaks each text with the first engine if it can, else with the second; both have the same
 * format.
 */
record TwoEngines(SpeechEngine first, SpeechEngine second) implements SpeechEngine {

  TwoEngines {
    if (!first.format().matches(second.format())) {
      throw new IllegalArgumentException("Pieces of two formats cannot be joined.");
    }
  }

  @Override
  public AudioFormat format() {
    return first.format();
  }

  @Override
  public Optional<String> objectionTo(String text) {
    return first.objectionTo(text).isEmpty() ? Optional.empty() : second.objectionTo(text);
  }

  @Override
  public byte[] speak(String text, Slot slot) throws InterruptedException {
    return (first.objectionTo(text).isEmpty() ? first : second).speak(text, slot);
  }
}
