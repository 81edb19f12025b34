package io.asyncflow.console.text;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The languages of the pages. */
public enum Language {
  EN("en", "English"),
  ZH("zh", "中文");

  private final String code;
  private final String ownName;

  Language(String code, String ownName) {
    this.code = code;
    this.ownName = ownName;
  }

  /** The code in HTML and in cookies. */
  public String code() {
    return code;
  }

  /** Its name in itself. */
  public String ownName() {
    return ownName;
  }

  public Locale locale() {
    return Locale.forLanguageTag(code);
  }

  public static Optional<Language> ofCode(String code) {
    return Arrays.stream(values()).filter(language -> language.code.equals(code)).findFirst();
  }

  /**
   * The language that a browser asks for; English if there is none of them.
   *
   * @param acceptLanguage the header; {@code null} if there is none
   */
  public static Language ofBrowser(String acceptLanguage) {
    if (acceptLanguage != null) {
      try {
        List<Locale> ours = Arrays.stream(values()).map(Language::locale).toList();
        Locale best = Locale.lookup(Locale.LanguageRange.parse(acceptLanguage), ours);
        if (best != null) {
          return ofCode(best.getLanguage()).orElse(EN);
        }
      } catch (IllegalArgumentException e) {
        return EN; // the header is garbage
      }
    }
    return EN;
  }
}
