package io.asyncflow.rules;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What failures that are alike have in common. Pure: it can be computed again from what a task's
 * log keeps of an attempt.
 *
 * @param value 64 bits; 0 for failures that are not told apart
 */
public record Fingerprint(long value) {

  /** Of failures that are not told apart. */
  public static final Fingerprint NONE = new Fingerprint(0);

  /** Beyond them, texts of strangers differ in what nobody groups by. */
  private static final int CHARACTERS = 200;

  private static final int CHARACTERS_READ = 1_000;
  private static final int DIGITS = 16;

  private static final Pattern QUOTED =
      Pattern.compile("\"[^\"]*+\"|(?<![\\p{L}\\p{N}])'[^']*+'(?![\\p{L}\\p{N}])|`[^`]*+`");
  private static final Pattern PATH =
      Pattern.compile("(?:\\b[A-Za-z]:)?[/\\\\][^\\s\"'`,;:()<>\\[\\]{}]++");

  /** Words with a digit that are hexadecimal and long, and the digits of all others. */
  private static final Pattern NUMBER =
      Pattern.compile(
          "\\b(?=[A-Fa-f\\-]*+[0-9])[0-9A-Fa-f]{6,}+(?:-[0-9A-Fa-f]++)*+\\b"
              + "|0[xX][0-9A-Fa-f]++|[0-9]++");

  private static final Pattern SPACE = Pattern.compile("\\s++");

  /**
   * The fingerprint of a failure.
   *
   * @param verdict such as {@code RETRY} or {@code TIMED_OUT}
   * @param message its first line counts; {@code null} for none
   */
  public static Fingerprint of(String stage, String verdict, String message) {
    byte[] digest =
        sha256()
            .digest(utf8(stage + '\n' + verdict + '\n' + pattern(message == null ? "" : message)));
    long value = ByteBuffer.wrap(digest).getLong();
    return new Fingerprint(value == NONE.value ? 1 : value);
  }

  /** Parses what {@link #toString} returns. */
  public static Optional<Fingerprint> parse(String text) {
    return text.matches("[0-9a-f]{" + DIGITS + "}")
        ? Optional.of(new Fingerprint(HexFormat.fromHexDigitsToLong(text)))
        : Optional.empty();
  }

  /** The first line, with one sign for each quoted text, path and number. */
  static String pattern(String message) {
    String line = CodePoints.cut(message.strip().lines().findFirst().orElse(""), CHARACTERS_READ);
    String unquoted = QUOTED.matcher(line).replaceAll("\"");
    String withoutPaths = PATH.matcher(unquoted).replaceAll("/");
    String withoutNumbers = NUMBER.matcher(withoutPaths).replaceAll("#");
    return CodePoints.cut(SPACE.matcher(withoutNumbers).replaceAll(" ").strip(), CHARACTERS);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  /** Sixteen hexadecimal digits: a number of 64 bits is changed by readers of JSON. */
  @Override
  public String toString() {
    return HexFormat.of().toHexDigits(value);
  }
}
