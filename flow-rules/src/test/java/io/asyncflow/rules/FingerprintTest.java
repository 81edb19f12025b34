package io.asyncflow.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FingerprintTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "no tape in drive 3 | no tape in drive #",
        "timed out after 600 s | timed out after # s",
        "no file /var/data/in/7.wav (tried 2 times) | no file / (tried # times)",
        "C:\\data\\in.wav is missing | / is missing",
        "user \"ada\" has no voice 'kokoro' | user \" has no voice \"",
        "it can't be: `x y` | it can't be: \"",
        "task 9f1c2d3e-0b1a-4c5d-8e9f-001122334455 is gone | task # is gone",
        "bad digest 3e4b524c90ab | bad digest #",
        "at 0x7fff5c : oops | at # : oops",
        "facade defaced | facade defaced",
        "GET https://host.example/a/b?c=1: 503 | GET https:/: #",
      })
  void whatDiffersBetweenLikeFailuresIsOneSign(String message, String pattern) {
    assertThat(Fingerprint.pattern(message)).isEqualTo(pattern);
  }

  @Test
  void likeFailuresHaveOneFingerprint() {
    assertThat(Fingerprint.of("merge", "RETRY", "no tape in drive 3"))
        .isEqualTo(Fingerprint.of("merge", "RETRY", "  no tape in drive 17\n\tat Drive.open"));
  }

  @Test
  void stageAndVerdictAreInIt() {
    assertThat(
            List.of(
                Fingerprint.of("merge", "RETRY", "no tape"),
                Fingerprint.of("split", "RETRY", "no tape"),
                Fingerprint.of("merge", "FAIL", "no tape"),
                Fingerprint.of("merge", "RETRY", "no drive")))
        .doesNotHaveDuplicates();
  }

  @Test
  void failureThatSaysNothingHasOneToo() {
    assertThat(Fingerprint.of("merge", "FAIL", null))
        .isEqualTo(Fingerprint.of("merge", "FAIL", " \n "))
        .isNotEqualTo(Fingerprint.NONE);
  }

  @Test
  void onlyTheFirst200CharactersCount() {
    String begin = "x ".repeat(100);
    assertThat(Fingerprint.of("s", "FAIL", begin + "one"))
        .isEqualTo(Fingerprint.of("s", "FAIL", begin + "another"));
  }

  @Test
  void textsAreReadInTheirFormAlone() {
    Fingerprint print = Fingerprint.of("merge", "RETRY", "no tape");
    assertThat(print.toString()).matches("[0-9a-f]{16}");
    assertThat(Fingerprint.parse(print.toString())).contains(print);
    assertThat(Fingerprint.parse("-000000000000001")).isEmpty();
    assertThat(Fingerprint.parse("")).isEmpty();
  }

  @Test
  void hostileMessagesTakeNoTime() {
    for (String part :
        List.of("'", "\"", "`", "/", "\\", "a-", "0", "f0", "0x", "'\"`/ ", "\uD83D\uDE00")) {
      assertTimeout(
          Duration.ofSeconds(5), () -> Fingerprint.of("s", "FAIL", part.repeat(1_000_000)), part);
    }
  }
}
