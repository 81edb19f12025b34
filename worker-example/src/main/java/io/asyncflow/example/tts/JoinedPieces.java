package io.asyncflow.example.tts;

import io.asyncflow.worker.StageContext;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Iterator;
import javax.sound.sampled.AudioFormat;

/**
 * The sound of all pieces in order, with a pause between paragraphs; only one piece is in memory at
 * a time.
 */
final class JoinedPieces extends InputStream {

  private final Iterator<Piece> pieces;
  private final int count;
  private final byte[] pause;
  private final AudioFormat format;
  private final StageContext run;
  private InputStream current = InputStream.nullInputStream();
  private Piece last;
  private Piece next;
  private int opened;

  /**
   * @param count the number of pieces
   * @param pause the silence between two paragraphs, as PCM
   * @param run opens the pieces, receives the progress, and tells whether the run was cancelled
   */
  JoinedPieces(
      Iterator<Piece> pieces, int count, byte[] pause, AudioFormat format, StageContext run) {
    this.pieces = pieces;
    this.count = count;
    this.pause = pause;
    this.format = format;
    this.run = run;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    int read = current.read(buffer, offset, length);
    while (read < 0 && advance()) {
      read = current.read(buffer, offset, length);
    }
    return read;
  }

  @Override
  public int read() throws IOException {
    byte[] single = new byte[1];
    return read(single, 0, 1) < 0 ? -1 : single[0] & 0xff;
  }

  /** Opens the next pause or piece; false at the end. */
  private boolean advance() throws IOException {
    if (next == null) {
      if (!pieces.hasNext()) {
        return false;
      }
      next = pieces.next();
      if (last != null && last.paragraph() != next.paragraph()) {
        current = new ByteArrayInputStream(pause);
        return true;
      }
    }
    if (run.cancelled()) {
      throw new InterruptedIOException("Cancelled at piece " + opened + ".");
    }
    run.progress(100 * opened / count);
    opened++;
    try (InputStream wav = run.open(next.sound())) {
      current = new ByteArrayInputStream(Wav.read(wav, next, format));
    }
    last = next;
    next = null;
    return true;
  }
}
