package io.asyncflow.example.tts;

import com.sun.speech.freetts.audio.AudioPlayer;
import java.io.ByteArrayOutputStream;
import javax.sound.sampled.AudioFormat;

/** An audio player for FreeTTS that collects the sound in memory. */
final class PcmSink implements AudioPlayer {

  private final ByteArrayOutputStream pcm = new ByteArrayOutputStream();
  private AudioFormat format;
  private float volume = 1;

  byte[] pcm() {
    return pcm.toByteArray();
  }

  @Override
  public boolean write(byte[] audio) {
    return write(audio, 0, audio.length);
  }

  @Override
  public boolean write(byte[] audio, int offset, int size) {
    pcm.write(audio, offset, size);
    return true;
  }

  @Override
  public void setAudioFormat(AudioFormat format) {
    this.format = format;
  }

  @Override
  public AudioFormat getAudioFormat() {
    return format;
  }

  @Override
  public void setVolume(float volume) {
    this.volume = volume;
  }

  @Override
  public float getVolume() {
    return volume;
  }

  @Override
  public boolean drain() {
    return true;
  }

  @Override
  public boolean end() {
    return true;
  }

  @Override
  public long getTime() {
    return 0;
  }

  // The remaining methods are for playback, which is not used.

  @Override
  public void begin(int size) {}

  @Override
  public void pause() {}

  @Override
  public void resume() {}

  @Override
  public void cancel() {}

  @Override
  public void reset() {}

  @Override
  public void close() {}

  @Override
  public void resetTime() {}

  @Override
  public void startFirstSampleTimer() {}

  @Override
  public void showMetrics() {}
}
