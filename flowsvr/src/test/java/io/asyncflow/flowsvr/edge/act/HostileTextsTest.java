package io.asyncflow.flowsvr.edge.act;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.asyncflow.api.OneLine;
import io.asyncflow.api.StoreKey;
import io.asyncflow.api.StoredText;
import io.asyncflow.api.codec.SealedText;
import io.asyncflow.rules.Fingerprint;
import io.asyncflow.rules.access.CertificateName;
import io.asyncflow.rules.access.Secrets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.core.io.ClassPathResource;

/**
 * What looks through texts of others with a regular expression, and beginnings that never end.
 * Those whose time grows with the square of the length need minutes for these.
 */
class HostileTextsTest {

  private static final int CHARACTERS = 200_000;
  private static final Duration ENOUGH = Duration.ofSeconds(20);

  private static final List<String> PIECES =
      List.of(
          "[Source: ",
          "(start marker at [Source: ",
          "-eyJ",
          "eyJa.",
          "eyJ-.",
          "\\",
          "\n",
          " ",
          "'",
          "\"",
          "`x ",
          "a-",
          "-a1",
          "/",
          "//",
          "//x",
          "Bearer ",
          "Bearer",
          "afk_",
          "AKIA",
          "whsec_",
          "1_a_task_1/",
          "{\"$stored\":\"",
          "{\"$sealed\":\"a\",\"key\":1,\"data\":\"",
          "a.",
          "@");

  private static final Map<String, Consumer<String>> READERS =
      Map.of(
          "Detail", text -> Detail.json(Map.of("reason", text)),
          "Secrets", Secrets::masked,
          "Fingerprint", text -> Fingerprint.of("s", "RETRY", text),
          "OneLine", OneLine::of,
          "StoreKey", text -> StoreKey.allIn(text + "/"),
          "StoredText", StoredText::parse,
          "SealedText", SealedText::parse,
          "CertificateName", CertificateName::parse,
          "the patterns of the log", HostileTextsTest::log);

  @TestFactory
  List<DynamicTest> nothingLooksThroughATextTwice() {
    return READERS.entrySet().stream()
        .map(reader -> DynamicTest.dynamicTest(reader.getKey(), () -> readAll(reader.getValue())))
        .toList();
  }

  private static void readAll(Consumer<String> reader) {
    for (String piece : PIECES) {
      String text = "x" + piece.repeat(CHARACTERS / piece.length()) + "x";
      assertTimeoutPreemptively(ENOUGH, () -> reader.accept(text), piece);
    }
  }

  private static final List<Pattern> LOG = patternsOfTheLog();

  /** As Logback takes them from {@code %replace(…){'…','…'}}. */
  private static List<Pattern> patternsOfTheLog() {
    YamlPropertiesFactoryBean settings = new YamlPropertiesFactoryBean();
    settings.setResources(new ClassPathResource("application.yml"));
    String text = settings.getObject().getProperty("logging.pattern.text");
    return Pattern.compile("\\{'(.*?)','�'}")
        .matcher(text)
        .results()
        .map(found -> Pattern.compile(found.group(1)))
        .toList();
  }

  private static void log(String text) {
    if (LOG.size() != 2) {
      throw new AssertionError("application.yml has other patterns: " + LOG);
    }
    LOG.forEach(pattern -> pattern.matcher(text).replaceAll("?"));
  }
}
