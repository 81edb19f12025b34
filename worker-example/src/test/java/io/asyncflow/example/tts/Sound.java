package io.asyncflow.example.tts;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ShortBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;

/** What is heard in a WAV file, read independently of the code that wrote it. */
final class Sound {

  private final short[] samples;

  private Sound(short[] samples) {
    this.samples = samples;
  }

  static Sound of(Path wav) throws Exception {
    try (AudioInputStream audio = AudioSystem.getAudioInputStream(wav.toFile())) {
      ShortBuffer buffer =
          ByteBuffer.wrap(audio.readAllBytes()).order(ByteOrder.LITTLE_ENDIAN).asShortBuffer();
      short[] samples = new short[buffer.remaining()];
      buffer.get(samples);
      if (samples.length != audio.getFrameLength() || Files.size(wav) != 44 + 2L * samples.length) {
        throw new AssertionError(wav + " has a header that does not fit its data");
      }
      return new Sound(samples);
    }
  }

  int frames() {
    return samples.length;
  }

  /** The tones in it: stretches of one value each, with silence as 0. */
  List<Tone> tones() {
    List<Tone> tones = new ArrayList<>();
    int start = 0;
    for (int i = 1; i <= samples.length; i++) {
      if (i == samples.length || samples[i] != samples[start]) {
        tones.add(new Tone(samples[start], i - start));
        start = i;
      }
    }
    return tones;
  }

  /** The root mean square, by which silence and noise at full scale are told from speech. */
  double loudness() {
    double sum = 0;
    for (short sample : samples) {
      sum += sample * sample;
    }
    return Math.sqrt(sum / samples.length);
  }

  record Tone(int value, int frames) {}
}
