package io.asyncflow.example.tts;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sound.sampled.AudioFileFormat;
import javax.sound.sampled.AudioFormat;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;
import javax.sound.sampled.UnsupportedAudioFileException;

/** Reads and writes WAV files. */
final class Wav {

  private static final int HEADER = 44;

  /** Many players read a WAV's length as a signed 32-bit number. */
  private static final long MOST_BYTES = Integer.MAX_VALUE - HEADER;

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
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16)) {
      AudioInputStream audio = new AudioInputStream(pcm, format, frames);
      long written = AudioSystem.write(audio, AudioFileFormat.Type.WAVE, out);
      if (written != HEADER + frames * format.getFrameSize()) {
        throw new IOException("The sound does not have the length that its pieces announced.");
      }
    }
  }

  /**
   * The sound of a piece, as PCM.
   *
   * @param wav the file, read to the end of the sound
   */
  static byte[] read(InputStream wav, Piece piece, AudioFormat format) throws IOException {
    BufferedInputStream in = new BufferedInputStream(wav);
    try {
      // Used for the header only. An AudioInputStream returns whole frames, so it returns 0 bytes
      // if the network has delivered a single byte, which callers take for the end.
      AudioInputStream header = AudioSystem.getAudioInputStream(in);
      if (!header.getFormat().matches(format) || header.getFrameLength() != piece.frames()) {
        throw new IOException(piece.sound() + " is not the sound that its run stored.");
      }
    } catch (UnsupportedAudioFileException e) {
      throw new IOException(piece.sound() + " is not a WAV file.", e);
    }
    int length = Math.toIntExact(piece.frames() * format.getFrameSize());
    byte[] pcm = in.readNBytes(length);
    if (pcm.length < length) {
      throw new IOException(piece.sound() + " is cut short.");
    }
    return pcm;
  }
}
