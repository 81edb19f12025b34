package io.asyncflow.console.page.task;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Knows audio by its first bytes. Pure. */
final class AudioSignature {

  /** As many bytes as decide. */
  static final int LENGTH = 12;

  /** The types of contents, by how they begin; MPEG audio also with the header of a frame. */
  private static final Map<String, Pattern> TYPES =
      Map.of(
          "audio/wav", begin("RIFF.{4}WAVE"),
          "audio/ogg", begin("OggS"),
          "audio/flac", begin("fLaC"),
          "audio/mp4", begin(".{4}ftypM4A"),
          "audio/mpeg", begin("(ID3|\\xFF[\\xE2\\xE3\\xF2\\xF3\\xFA\\xFB][\\x00-\\xEF].)"));

  private AudioSignature() {}

  private static Pattern begin(String of) {
    return Pattern.compile(of + ".*", Pattern.DOTALL);
  }

  /** The type of the content; empty if it is no audio that browsers play. */
  static Optional<String> typeOf(byte[] begin) {
    String text = new String(begin, StandardCharsets.ISO_8859_1);
    return TYPES.entrySet().stream()
        .filter(type -> type.getValue().matcher(text).matches())
        .map(Map.Entry::getKey)
        .findFirst();
  }
}
