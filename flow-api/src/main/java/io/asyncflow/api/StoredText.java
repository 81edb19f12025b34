package io.asyncflow.api;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The reference that replaces a context or a result that is too large for its row: {@code
 * {"$stored":"4711_lark_task_1/render/2/_context","bytes":123456}}, which is valid JSON.
 *
 * @param key the object that has the text
 * @param bytes its length in bytes of UTF-8
 */
public record StoredText(StoreKey key, long bytes) {

  /** The most bytes of UTF-8 that a context or a result may have in a row. */
  public static final int MOST_BYTES_IN_A_ROW = 4_096;

  /** The most bytes of a text in the store; larger data belongs into a file. */
  public static final int MOST_BYTES = 16 * 1024 * 1024;

  private static final Pattern FORM =
      Pattern.compile("\\{\"\\$stored\":\"([^\"\\\\]{1,300})\",\"bytes\":([0-9]{1,18})}");

  /** Parses a reference; empty if {@code text} is an ordinary text. */
  public static Optional<StoredText> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long bytes = Long.parseLong(matcher.group(2));
    return StoreKey.parse(matcher.group(1)).map(key -> new StoredText(key, bytes));
  }

  @Override
  public String toString() {
    return "{\"$stored\":\"" + key + "\",\"bytes\":" + bytes + "}";
  }
}
