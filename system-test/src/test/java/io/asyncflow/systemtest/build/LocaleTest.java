package io.asyncflow.systemtest.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No number is written in the digits of the JVM's locale: {@code String.formatted} takes that
 * locale, so it formats no numbers. Other methods of the kind are refused by the build.
 */
class LocaleTest {

  private static final String TEXT = "(?:\"\"\"[\\s\\S]*?\"\"\"|\"(?:[^\"\\\\\\n]++|\\\\.)*+\")";

  /** Texts, joined or not, that are formatted by the locale. */
  private static final Pattern FORMATTED =
      Pattern.compile(TEXT + "(?:\\s*\\+\\s*" + TEXT + ")*+\\s*\\)?\\s*\\.formatted\\(");

  private static final Pattern NUMBER =
      Pattern.compile("(?<!%)(?:%%)*%(?:\\d+\\$)?[-#+ 0,(]*\\d*(?:\\.\\d+)?[dfegEGtT]");

  private static Stream<String> localizedIn(String source) {
    return FORMATTED
        .matcher(source)
        .results()
        .map(MatchResult::group)
        .filter(text -> NUMBER.matcher(text).find());
  }

  @Test
  void noSourceFormatsANumberByTheLocaleOfTheJvm() throws IOException {
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      assertThat(
              modules
                  .map(module -> module.resolve("src"))
                  .filter(Files::isDirectory)
                  .flatMap(LocaleTest::sourcesBelow)
                  .flatMap(file -> localizedIn(read(file)).map(text -> file + ": " + text)))
          .isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"SELECT %d\".formatted(",
        "(\"a %s\" + \" b %,d\")\n.formatted(",
        "\"\"\"\n a\n %1$.2f\n \"\"\".formatted("
      })
  void itIsFound(String source) {
    assertThat(localizedIn(source)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"100 %% d %s\".formatted(", "f(\"%d\"); \"%s\".formatted("})
  void nothingElseIs(String source) {
    assertThat(localizedIn(source)).isEmpty();
  }

  static Stream<Path> sourcesBelow(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
