package io.asyncflow.dev.host;

import io.asyncflow.dev.DevException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file with a text that somebody has written. */
public final class TextFile {
  private TextFile() {}

  /**
   * The text in it.
   *
   * @throws DevException in one sentence if it is missing or no text
   */
  public static String read(Path file) {
    if (!Files.exists(file)) {
      throw new DevException("There is no file " + file + ".");
    }
    if (Files.isDirectory(file)) {
      throw new DevException(file + " is not a file.");
    }
    try {
      return Files.readString(file);
    } catch (CharacterCodingException e) {
      throw new DevException("The file " + file + " is not text in UTF-8.", e);
    } catch (IOException e) {
      throw new DevException("The file " + file + " cannot be read.", e);
    }
  }
}
