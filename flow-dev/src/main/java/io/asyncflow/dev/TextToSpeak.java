package io.asyncflow.dev;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A text to be spoken.
 *
 * @param text not blank
 */
record TextToSpeak(String text) {
  private static final String BUNDLED = "demo.txt";

  /** With the rest of the request a job takes 16 MiB. */
  private static final long MAX_BYTES = 15_000_000;

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
            "The file " + file + " is larger than 15 MB, which no job takes.");
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
}
