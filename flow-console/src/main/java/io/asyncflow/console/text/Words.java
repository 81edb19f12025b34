package io.asyncflow.console.text;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.text.NumberFormat;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/**
 * The words of a language, from {@code messages_{en,zh}.properties}. Immutable.
 *
 * <p>{@code {0}} stands for the first argument. A text with a bar has two forms, for one and for
 * other counts, which the first argument chooses.
 */
public final class Words {

  private static final Map<Language, Words> ALL = new EnumMap<>(Language.class);

  static {
    for (Language language : Language.values()) {
      ALL.put(language, new Words(language, load(language)));
    }
  }

  private static final long WITH_SEPARATOR = 1_000;

  private final Language language;
  private final Map<String, String> texts;

  private Words(Language language, Map<String, String> texts) {
    this.language = language;
    this.texts = texts;
  }

  public static Words of(Language language) {
    return ALL.get(language);
  }

  private static Map<String, String> load(Language language) {
    String file = "/META-INF/asyncflow-console/messages_" + language.code() + ".properties";
    try (InputStream in = Words.class.getResourceAsStream(file)) {
      Properties properties = new Properties();
      properties.load(new InputStreamReader(in, StandardCharsets.UTF_8));
      Map<String, String> texts = new HashMap<>();
      properties.stringPropertyNames().forEach(key -> texts.put(key, properties.getProperty(key)));
      return Map.copyOf(texts);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Language language() {
    return language;
  }

  /** The text with this key; the key itself if there is none. */
  public String get(String key, Object... arguments) {
    return fill(texts.getOrDefault(key, key), arguments);
  }

  /**
   * The word for a name that a newer server may have added.
   *
   * @param group the part of the key before the name, with its dot
   */
  public String nameOf(String group, String name) {
    return texts.getOrDefault(group + name, name);
  }

  private String fill(String text, Object... arguments) {
    String filled = text;
    int bar = text.indexOf('|');
    if (bar >= 0 && arguments.length > 0) {
      boolean isOne = arguments[0] instanceof Number count && count.longValue() == 1;
      filled = isOne ? text.substring(0, bar) : text.substring(bar + 1);
    }
    for (int i = 0; i < arguments.length; i++) {
      filled = filled.replace("{" + i + "}", plain(arguments[i]));
    }
    return filled;
  }

  private String plain(Object argument) {
    return argument instanceof Number number ? number(number) : String.valueOf(argument);
  }

  /** A number with its separators. */
  public String number(Number number) {
    boolean isWhole = number instanceof Long || number instanceof Integer;
    if (isWhole
        && Math.abs(number.longValue()) < WITH_SEPARATOR) { // most are, and a format is slow
      return number.toString();
    }
    return NumberFormat.getInstance(language.locale()).format(number);
  }
}
