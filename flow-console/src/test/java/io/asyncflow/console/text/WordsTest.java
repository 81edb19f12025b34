package io.asyncflow.console.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.TypeSetting;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WordsTest {

  private static final Path MAIN = Path.of("src/main");
  private static final Pattern LITERAL = Pattern.compile("\"([a-z_.A-Z0-9]+)\"");
  private static final Pattern USED =
      Pattern.compile("\\bf(?:rame)?\\.t\\(\"([a-zA-Z_.0-9]+)\"[,)]");

  @Test
  void bothLanguagesHaveTheSameKeys() throws Exception {
    assertThat(texts("zh").stringPropertyNames()).isEqualTo(texts("en").stringPropertyNames());
  }

  @Test
  void noKeyIsThereTwice() throws Exception {
    for (String language : new String[] {"en", "zh"}) {
      try (Stream<String> lines = Files.lines(file(language))) {
        assertThat(lines.filter(line -> line.matches("[^#=]+=.*")).map(line -> line.split("=")[0]))
            .as(language)
            .doesNotHaveDuplicates();
      }
    }
  }

  @Test
  void noTextIsTheSameInBothLanguages() throws Exception {
    Properties zh = texts("zh");
    Properties en = texts("en");
    assertThat(en.stringPropertyNames())
        .noneMatch(key -> en.getProperty(key).equals(zh.getProperty(key)));
  }

  @Test
  void settingsOfTypesHaveTheirWords() throws Exception {
    Set<String> keys = texts("en").stringPropertyNames();
    for (TypeSetting setting : TypeSetting.values()) {
      if (setting.group() != null) {
        String key = "setting." + setting.column();
        assertThat(keys).contains(key, key + ".what", "setting.group." + setting.group());
      }
    }
  }

  @Test
  void placesOfArgumentsAreTheSameInBothLanguages() throws Exception {
    Properties zh = texts("zh");
    Properties en = texts("en");
    for (String key : en.stringPropertyNames()) {
      assertThat(places(zh.getProperty(key))).as(key).isEqualTo(places(en.getProperty(key)));
    }
  }

  private static Set<String> places(String text) {
    Set<String> places = new TreeSet<>();
    Matcher place = Pattern.compile("\\{[0-9]}").matcher(text);
    while (place.find()) {
      places.add(place.group());
    }
    return places;
  }

  @Test
  void everyKeyThatIsUsedExists() throws Exception {
    Set<String> known = texts("en").stringPropertyNames();
    Matcher used = USED.matcher(sources());
    Set<String> missing = new TreeSet<>();
    while (used.find()) {
      if (!known.contains(used.group(1))) {
        missing.add(used.group(1));
      }
    }
    assertThat(missing).isEmpty();
  }

  /** A key is used as a whole, or by a part that ends with a dot and is followed by a name. */
  @Test
  void everyKeyIsUsed() throws Exception {
    String sources = sources();
    Set<String> literals = new TreeSet<>();
    Matcher literal = LITERAL.matcher(sources);
    while (literal.find()) {
      literals.add(literal.group(1));
    }
    assertThat(texts("en").stringPropertyNames())
        .allMatch(
            key ->
                literals.contains(key)
                    || literals.stream()
                        .anyMatch(part -> part.endsWith(".") && key.startsWith(part)));
  }

  @Test
  void countChoosesTheForm() {
    Words words = Words.of(Language.EN);
    assertThat(words.get("setting.save", 1)).isEqualTo("Save 1 change");
    assertThat(words.get("setting.save", 2_000)).isEqualTo("Save 2,000 changes");
  }

  @Test
  void unknownNameIsShownAsItIs() {
    assertThat(Words.of(Language.ZH).nameOf("audit.act.", "NEW_ACT")).isEqualTo("NEW_ACT");
  }

  private static Path file(String language) {
    return MAIN.resolve(
        "resources/META-INF/asyncflow-console/messages_" + language + ".properties");
  }

  private static Properties texts(String language) throws IOException {
    Properties texts = new Properties();
    try (Reader in = Files.newBufferedReader(file(language), StandardCharsets.UTF_8)) {
      texts.load(in);
    }
    return texts;
  }

  private static String sources() throws IOException {
    StringBuilder all = new StringBuilder();
    for (String folder : new String[] {"java", "jte"}) {
      try (Stream<Path> files = Files.walk(MAIN.resolve(folder))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          all.append(Files.readString(file)).append('\n');
        }
      }
    }
    return all.toString();
  }
}
