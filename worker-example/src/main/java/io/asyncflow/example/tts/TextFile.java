package io.asyncflow.example.tts;

import io.asyncflow.worker.NonRetryableException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.util.unit.DataSize;

/** Reads a text, strictly: a wrong encoding is told, never spoken. */
final class TextFile {

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private TextFile() {}

  static String read(Path file, DataSize max) throws IOException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      // One more than allowed, instead of asking for the size first: the file may be growing.
      bytes = in.readNBytes(Math.toIntExact(max.toBytes()) + 1);
    }
    if (bytes.length > max.toBytes()) {
      throw new NonRetryableException(
          "The text file " + file + " is longer than " + max.toBytes() + " bytes.");
    }
    String text = decode(file, bytes);
    return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
  }

  private static String decode(Path file, byte[] bytes) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    CoderResult result = decoder.decode(in, out, true);
    if (result.isError()) {
      throw new NonRetryableException(
          "The text file " + file + " is not UTF-8: byte " + in.position() + " is malformed.");
    }
    return out.flip().toString();
  }
}
