package io.asyncflow.example.tts;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import javax.sound.sampled.AudioFileFormat;
import javax.sound.sampled.AudioFormat;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;
import javax.sound.sampled.UnsupportedAudioFileException;

/** Sound files. */
final class Wav {

  /** Many players read a WAV's length as a signed number of 32 bits. */
  private static final long MOST_BYTES = Integer.MAX_VALUE - 44;

  private Wav() {}

  static boolean canHold(long frames, AudioFormat format) {
    return frames <= MOST_BYTES / format.getFrameSize();
  }

  static void write(Path file, byte[] pcm, AudioFormat format) throws IOException {
    write(file, new ByteArrayInputStream(pcm), pcm.length / format.getFrameSize(), format);
  }

  /** Writes {@code frames} frames of PCM, and fails if there are fewer. */
  static void write(Path file, InputStream pcm, long frames, AudioFormat format)
      throws IOException {
    AtomicFile.write(
        file,
        out -> {
          AudioInputStream audio = new AudioInputStream(pcm, format, frames);
          long header = 44;
          long written = AudioSystem.write(audio, AudioFileFormat.Type.WAVE, out);
          if (written != header + frames * format.getFrameSize()) {
            throw new IOException("The sound for " + file + " has not the length announced.");
          }
        });
  }

  /** The sound of a file that should be {@code frames} long. */
  static AudioInputStream open(Path file, long frames, AudioFormat format) throws IOException {
    try {
      AudioInputStream audio = AudioSystem.getAudioInputStream(file.toFile());
      if (!audio.getFormat().matches(format) || audio.getFrameLength() != frames) {
        audio.close();
        throw new IOException(file + " is not the sound that its run wrote.");
      }
      return audio;
    } catch (UnsupportedAudioFileException e) {
      throw new IOException(file + " is not a WAV file.", e);
    }
  }
}
