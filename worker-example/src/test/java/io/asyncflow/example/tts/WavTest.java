package io.asyncflow.example.tts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.sound.sampled.AudioFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WavTest {

  private static final AudioFormat FORMAT = new ToneEngine().format();
  private static final int FRAMES = 10_000;

  @TempDir Path directory;
  private final byte[] pcm = new byte[FORMAT.getFrameSize() * FRAMES];
  private final Piece piece = new Piece("a piece", 1, FRAMES);
  private byte[] wav;

  @BeforeEach
  void write() throws IOException {
    for (int i = 0; i < pcm.length; i++) {
      pcm[i] = (byte) i;
    }
    Path file = directory.resolve("a.wav");
    Wav.write(file, pcm, FORMAT);
    wav = Files.readAllBytes(file);
  }

  @Test
  void whatWasWrittenIsRead() throws IOException {
    assertThat(Wav.read(new ByteArrayInputStream(wav), piece, FORMAT)).isEqualTo(pcm);
  }

  /** As a network may bring it. */
  @Test
  void soundThatComesByteByByteIsWhole() throws IOException {
    InputStream slow =
        new FilterInputStream(new ByteArrayInputStream(wav)) {
          @Override
          public int read(byte[] buffer, int offset, int length) throws IOException {
            return super.read(buffer, offset, Math.min(1, length));
          }

          @Override
          public int available() {
            return 0;
          }
        };
    assertThat(Wav.read(slow, piece, FORMAT)).isEqualTo(pcm);
  }

  @Test
  void soundThatIsCutShortIsNone() {
    InputStream half = new ByteArrayInputStream(wav, 0, wav.length / 2);
    assertThatThrownBy(() -> Wav.read(half, piece, FORMAT)).hasMessage("a piece is cut short.");
  }
}
