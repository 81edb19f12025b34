package io.asyncflow.api.codec;

import io.asyncflow.api.StoreKey;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The form of a sealed text: {@code {"$sealed":"tink1","key":1837264,"data":"…"}}, which is valid
 * JSON. It names the objects of the context store that the text names, because the server removes
 * objects that no row names.
 *
 * @param scheme how it is sealed, 1 to 16 lower-case letters and digits
 * @param key the number of the key by which it is sealed
 * @param data what only the key opens, in Base64
 * @param objects the objects that the text names
 */
public record SealedText(String scheme, long key, String data, List<StoreKey> objects) {

  /** How every sealed text begins. */
  public static final String BEGINNING = "{\"$sealed\":\"";

  private static final Pattern FORM =
      Pattern.compile(
          "\\{\"\\$sealed\":\"([a-z0-9]{1,16})\",\"key\":([0-9]{1,18}),\"data\":\"([A-Za-z0-9+/=_-]++)\""
              + "(?:,\"objects\":\\[([^\\]]*+)\\])?}");

  /** Whether this is a sealed text, or the beginning of one, whatever its scheme. */
  public static boolean isSealed(String text) {
    return text.startsWith(BEGINNING);
  }

  /** Parses a sealed text; empty if {@code text} is another one. */
  public static Optional<SealedText> parse(String text) {
    if (!isSealed(text)) {
      return Optional.empty();
    }
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String objects = matcher.group(4);
    return Optional.of(
        new SealedText(
            matcher.group(1),
            Long.parseLong(matcher.group(2)),
            matcher.group(3),
            objects == null ? List.of() : StoreKey.allIn(objects)));
  }

  @Override
  public String toString() {
    String named =
        objects.isEmpty()
            ? ""
            : objects.stream()
                .map(object -> "\"" + object + "\"")
                .collect(Collectors.joining(",", ",\"objects\":[", "]"));
    return BEGINNING + scheme + "\",\"key\":" + key + ",\"data\":\"" + data + "\"" + named + "}";
  }
}
