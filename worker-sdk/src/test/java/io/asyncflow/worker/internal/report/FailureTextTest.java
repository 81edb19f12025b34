package io.asyncflow.worker.internal.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.worker.NonRetryableException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class FailureTextTest {

  @Test
  void aThousandCharactersAreTheMost() {
    assertThat(FailureText.of(new Exception("x".repeat(5000)))).hasSize(1000).endsWith("…");
  }

  @Test
  void whatUtf8CannotCarryIsReplaced() {
    String text = FailureText.fit("😀".repeat(1000));
    assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(text)).isTrue();
    assertThat(FailureText.fit("a\ud83d")).isEqualTo("a?");
    assertThat(FailureText.of(new NumberFormatException("For input string: \"12\0\"")))
        .as("which the server keeps in no text")
        .contains("\"12\uFFFD\"");
  }

  @Test
  void aSecretIsInNoMessageNotEvenHalfOfOne() {
    Exception cause = new Exception("x".repeat(950) + " Bearer " + "0123456789".repeat(9));
    assertThat(FailureText.of(new Exception("refused: AKIAIOSFODNN7EXAMPLE", cause)))
        .startsWith("java.lang.Exception: refused: ‹redacted›; caused by")
        .doesNotContain("Bearer", "0123");
  }

  @Test
  void causesInARingEndSomewhere() {
    Exception one = new Exception("one");
    Exception two = new Exception("two", one);
    one.initCause(two);
    assertThat(FailureText.of(one)).startsWith("java.lang.Exception: one");
  }

  @Test
  void aMessageThatThrowsIsNoObstacle() {
    RuntimeException rude =
        new RuntimeException() {
          @Override
          public String getMessage() {
            throw new IllegalStateException();
          }
        };
    assertThat(FailureText.of(rude)).contains("its message cannot be read");
  }

  @Test
  void whatIsSaidOnPurposeIsItsMessageAlone() {
    Exception cause = new Exception("inner");
    assertThat(FailureText.of(new NonRetryableException("no such voice", cause)))
        .isEqualTo("no such voice");
    assertThat(FailureText.of(new NonRetryableException(" ")))
        .startsWith(NonRetryableException.class.getName());
  }

  @Test
  void anExceptionWithoutAMessageIsItsClass() {
    assertThat(FailureText.of(new IllegalStateException()))
        .startsWith("java.lang.IllegalStateException\n");
  }
}
