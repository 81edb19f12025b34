package io.asyncflow.example.tts;

import io.asyncflow.worker.Slot;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import javax.sound.sampled.AudioFormat;

/**
 * Speaks "17 …" as a sound whose every sample is 17, three samples a character: what is heard tells
 * which passage it was.
 */
final class ToneEngine implements SpeechEngine {

  private static final int FRAMES_PER_CHARACTER = 3;

  @Override
  public AudioFormat format() {
    return new AudioFormat(16_000, 16, 1, true, false);
  }

  @Override
  public Optional<String> objectionTo(String text) {
    return text.contains("☠") ? Optional.of("has a skull in it") : Optional.empty();
  }

  @Override
  public byte[] speak(String text, Slot slot) {
    short mark = Short.parseShort(text.split("\\D", 2)[0]);
    ByteBuffer pcm = ByteBuffer.allocate(2 * framesOf(text)).order(ByteOrder.LITTLE_ENDIAN);
    while (pcm.hasRemaining()) {
      pcm.putShort(mark);
    }
    return pcm.array();
  }

  static int framesOf(String text) {
    return FRAMES_PER_CHARACTER * text.length();
  }
}
