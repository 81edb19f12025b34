package io.asyncflow.example.tts;

import io.asyncflow.worker.StageContext;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.List;
import javax.sound.sampled.AudioFormat;

/** The sound of all pieces in order; only one file is open at a time. */
final class JoinedPieces extends InputStream {

  private final List<Piece> pieces;
  private final TaskFiles files;
  private final AudioFormat format;
  private final StageContext context;
  private InputStream current = InputStream.nullInputStream();
  private int opened;

  JoinedPieces(List<Piece> pieces, TaskFiles files, AudioFormat format, StageContext context) {
    this.pieces = pieces;
    this.files = files;
    this.format = format;
    this.context = context;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    int count = current.read(buffer, offset, length);
    while (count < 0 && opened < pieces.size()) {
      openNext();
      count = current.read(buffer, offset, length);
    }
    return count;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public void close() throws IOException {
    current.close();
  }

  private void openNext() throws IOException {
    if (context.cancelled()) {
      throw new InterruptedIOException("Cancelled at piece " + opened + ".");
    }
    context.progress(100 * opened / pieces.size());
    current.close();
    Piece piece = pieces.get(opened++);
    // Buffered, as an AudioInputStream gives whole frames only, never a single byte.
    current =
        new BufferedInputStream(Wav.open(files.existingWav(piece.name()), piece.frames(), format));
  }
}
