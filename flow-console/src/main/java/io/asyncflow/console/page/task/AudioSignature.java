package io.asyncflow.console.page.task;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Knows audio by its first bytes. Pure. */
final class AudioSignature {

  /** As many bytes as decide. */
  static final int LENGTH = 12;

  private AudioSignature() {}

  /** The type of the content; empty if it is no audio that browsers play. */
  static Optional<String> typeOf(byte[] begin) {
    if (has(begin, 0, "RIFF") && has(begin, 8, "WAVE")) {
      return Optional.of("audio/wav");
    }
    if (has(begin, 0, "OggS")) {
      return Optional.of("audio/ogg");
    }
    if (has(begin, 0, "fLaC")) {
      return Optional.of("audio/flac");
    }
    if (has(begin, 4, "ftypM4A")) {
      return Optional.of("audio/mp4");
    }
    if (has(begin, 0, "ID3") || isFrame(begin)) {
      return Optional.of("audio/mpeg");
    }
    return Optional.empty();
  }

  private static boolean has(byte[] begin, int at, String sign) {
    byte[] wanted = sign.getBytes(StandardCharsets.US_ASCII);
    if (begin.length < at + wanted.length) {
      return false;
    }
    for (int i = 0; i < wanted.length; i++) {
      if (begin[at + i] != wanted[i]) {
        return false;
      }
    }
    return true;
  }

  /**
   * The header of a frame of MPEG audio, layer 3: eleven bits, a version and a layer that exist.
   */
  private static boolean isFrame(byte[] begin) {
    return begin.length >= 4
        && (begin[0] & 0xFF) == 0xFF
        && (begin[1] & 0xE6) == 0xE2
        && (begin[1] & 0x18) != 0x08
        && (begin[2] & 0xF0) != 0xF0;
  }
}
