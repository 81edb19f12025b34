package io.asyncflow.rules.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {

  private static final String KEY = AccessKey.random().text();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "AKIAIOSFODNN7EXAMPLE",
        "ASIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        "Bearer d41f8cd98f00b2e9800998ecf8427e4a",
        "bearer  d41f8cd98f00b2e9800998ecf8427e4a"
      })
  void secretIsMasked(String secret) {
    assertThat(Secrets.masked("refused: " + secret + ", try again"))
        .isEqualTo("refused: ‹redacted›, try again");
  }

  @Test
  void accessKeyIsMasked() {
    assertThat(Secrets.masked("{\"k\":\"" + KEY + "\"}")).isEqualTo("{\"k\":\"‹redacted›\"}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "Bearer of bad news",
        "the bearer token is missing",
        "eyJ is how they begin",
        "afk_short_key",
        "AKIA"
      })
  void otherTextStays(String text) {
    assertThat(Secrets.masked(text)).isEqualTo(text);
  }

  @Test
  void absentTextStaysAbsent() {
    assertThat(Secrets.masked(null)).isNull();
  }

  @Test
  @Timeout(20)
  void longTextThatAlmostMatchesTakesNoTime() {
    for (String part : new String[] {"eyJ-", "eyJa.", "eyJa.b-", "Bearer ", "afk_", "AKIA"}) {
      String text = part.repeat(200_000);
      assertThat(Secrets.masked(text)).isNotEmpty();
    }
  }
}
