package io.asyncflow.rules.field;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;

/** A field read as text. After its first error a field is {@code null} and not checked further. */
public final class TextField {

  private final FieldSource fields;
  private final String name;
  private String value;
  private boolean invalid;

  /**
   * @param value {@code null} if the field is absent
   */
  public TextField(FieldSource fields, String name, String value) {
    this.fields = fields;
    this.name = name;
    this.value = value;
    if (value == null) {
      return;
    }
    if (value.indexOf('\0') >= 0) {
      refuse("must not contain the character NUL");
    } else if (hasLoneSurrogate(value)) {
      refuse("is not valid Unicode");
    }
  }

  /** A field that holds no text, which is refused. */
  public static TextField invalid(FieldSource fields, String name) {
    TextField field = new TextField(fields, name, null);
    field.refuse("must be a text");
    return field;
  }

  /** The field must be present and not empty. */
  public TextField required() {
    if (!invalid && (value == null || value.isEmpty())) {
      refuse(value == null ? "is required" : "must not be empty");
    }
    return this;
  }

  /** At most so many characters, counted as the database counts them. */
  public TextField max(int characters) {
    if (value != null && value.codePointCount(0, value.length()) > characters) {
      refuse("must be at most " + characters + " characters long");
    }
    return this;
  }

  /** At most this many bytes of UTF-8; beyond them the error is {@code TOO_LARGE}. */
  public TextField maxBytes(int bytes) {
    int most = fields.mostBytes(name, bytes);
    if (value != null && value.getBytes(StandardCharsets.UTF_8).length > most) {
      invalid = true;
      value = null;
      fields.refuseAsTooLarge(name, "must be at most " + most + " bytes of UTF-8 long");
    }
    return this;
  }

  /**
   * Must be a name: without control characters, which would garble logs, and without surrounding
   * white space, which the database ignores in comparisons.
   */
  public TextField name() {
    if (value != null && value.chars().anyMatch(Character::isISOControl)) {
      refuse("must not contain control characters");
    } else if (value != null && !value.equals(value.strip())) {
      refuse("must not begin or end with white space");
    }
    return this;
  }

  /** Printable ASCII only. */
  public TextField ascii() {
    return ascii(value);
  }

  /** Printable ASCII and tabs only. */
  public TextField asciiOrTabs() {
    return ascii(value == null ? null : value.replace('\t', ' '));
  }

  private TextField ascii(String text) {
    if (text != null && !text.chars().allMatch(c -> c >= ' ' && c <= '~')) {
      refuse("must be printable ASCII");
    }
    return this;
  }

  /** The text, or {@code null}. */
  public String value() {
    return value;
  }

  /** The text, or {@code absent} where there is none. */
  public String or(String absent) {
    return value == null ? absent : value;
  }

  /** The parsed text, or {@code null}; an error if it cannot be parsed. */
  public <T> T as(Function<String, Optional<T>> parser, String message) {
    if (value == null) {
      return null;
    }
    Optional<T> parsed = parser.apply(value);
    if (parsed.isEmpty()) {
      refuse(message);
    }
    return parsed.orElse(null);
  }

  /** The value of this very name, or {@code null}; an error if there is none. */
  <E extends Enum<E>> E choice(E[] values, String message) {
    return as(name -> named(values, name), message);
  }

  /** The value of this very name. */
  static <E extends Enum<E>> Optional<E> named(E[] values, String name) {
    return Arrays.stream(values).filter(value -> value.name().equals(name)).findFirst();
  }

  private void refuse(String message) {
    invalid = true;
    value = null;
    fields.refuse(name, message);
  }

  /** The text with each NUL and each unpaired surrogate replaced by U+FFFD. */
  public static String keepable(String text) {
    if (text.indexOf('\0') < 0 && !hasLoneSurrogate(text)) {
      return text;
    }
    return text.codePoints()
        .map(
            c ->
                c == 0 || Character.MIN_SURROGATE <= c && c <= Character.MAX_SURROGATE ? 0xFFFD : c)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  static boolean hasLoneSurrogate(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        return true;
      }
    }
    return false;
  }
}
