package io.asyncflow.dev.speech;

import io.asyncflow.dev.DevException;
import io.asyncflow.dev.host.TextFile;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A text to be spoken.
 *
 * @param text not blank
 */
public record TextToSpeak(String text) {
  private static final String BUNDLED = "demo.txt";

  private static final Set<Character.UnicodeScript> LATIN =
      EnumSet.of(
          Character.UnicodeScript.LATIN,
          Character.UnicodeScript.COMMON,
          Character.UnicodeScript.INHERITED);

  /** A job accepts 16 MiB, including the rest of the request. */
  private static final long MAX_BYTES = 15_000_000;

  /** The number of shown characters, enough to find the text. */
  private static final int SHOWN = 10;

  /** The text that comes with the demo. */
  public static TextToSpeak bundled() {
    try (InputStream content = TextToSpeak.class.getResourceAsStream("/" + BUNDLED)) {
      return new TextToSpeak(new String(content.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new DevException("The demo's own text cannot be read.", e);
    }
  }

  /**
   * Checks that workers on this machine have a voice for the letters of the text. Letters other
   * than Latin ones need espeak-ng; the included FreeTTS speaks only English.
   *
   * @param path the value of {@code PATH}; may be {@code null}
   * @throws DevException if there is none; the message states how to install one
   */
  public void requireVoice(String path) {
    String foreign =
        text.codePoints()
            .dropWhile(letter -> !isForeign(letter))
            .takeWhile(TextToSpeak::isForeign)
            .limit(SHOWN)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
    if (!foreign.isEmpty() && !isInstalled("espeak-ng", path)) {
      throw new DevException(
          "The text has \""
              + foreign
              + "\" in it, and the voice that comes along speaks English only: install espeak-ng"
              + " (sudo apt-get install espeak-ng) for Chinese and other languages.");
    }
  }

  private static boolean isForeign(int codePoint) {
    return Character.isAlphabetic(codePoint)
        && !LATIN.contains(Character.UnicodeScript.of(codePoint));
  }

  private static boolean isInstalled(String program, String path) {
    return path != null
        && Stream.of(path.split(File.pathSeparator))
            .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }

  /**
   * The text in a file.
   *
   * @throws DevException in one sentence if it is missing, empty, too large or no text
   */
  public static TextToSpeak in(Path file) {
    if (file.toFile().length() > MAX_BYTES) {
      throw new DevException("The file " + file + " is larger than 15 MB, which no job takes.");
    }
    String text = TextFile.read(file);
    if (text.isBlank()) {
      throw new DevException("The file " + file + " is empty.");
    }
    return new TextToSpeak(text);
  }
}
