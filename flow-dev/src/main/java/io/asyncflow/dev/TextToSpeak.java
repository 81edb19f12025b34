package io.asyncflow.dev;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The text of a demo.
 *
 * @param text not blank
 */
record TextToSpeak(String text) {
  private static final String BUNDLED = "demo.txt";
  private static final long MAX_BYTES = 1_000_000;

  /** The text that comes with the demo. */
  static TextToSpeak bundled() {
    try (InputStream content = TextToSpeak.class.getResourceAsStream("/" + BUNDLED)) {
      return new TextToSpeak(new String(content.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new EngineException("The demo's own text cannot be read.", e);
    }
  }

  /**
   * The text in a file.
   *
   * @throws EngineException in one sentence if it is missing, empty, too large or no text
   */
  static TextToSpeak in(Path file) {
    if (!Files.exists(file)) {
      throw new EngineException("There is no file " + file + ".");
    }
    if (!Files.isRegularFile(file)) {
      throw new EngineException(file + " is not a file.");
    }
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new EngineException(
            "The file " + file + " is larger than 1 MB, which is hours of speech.");
      }
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(Files.readAllBytes(file)))
              .toString();
      if (text.isBlank()) {
        throw new EngineException("The file " + file + " is empty.");
      }
      return new TextToSpeak(text);
    } catch (CharacterCodingException e) {
      throw new EngineException("The file " + file + " is not text in UTF-8.", e);
    } catch (IOException e) {
      throw new EngineException("The file " + file + " cannot be read.", e);
    }
  }

  /** Puts the text where the worker reads it; an older one of that name is replaced. */
  Path copyTo(Path file) {
    try {
      return Files.writeString(file, text);
    } catch (IOException e) {
      throw new EngineException("The file " + file + " cannot be written.", e);
    }
  }
}
