package io.asyncflow.worker.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class OneLineThrowableTest {

  private static final String FORGED = "no\n2026-01-01 INFO all is well";
  private static final String IN_ONE_LINE = "no 2026-01-01 INFO all is well";

  /** Its constructor writes a message of its own. */
  private static final class CodeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CodeException(String code) {
      super("code " + code);
    }
  }

  @Test
  void throwableWithoutLineBreaksIsItself() {
    Throwable plain = new IllegalStateException("no", new IOException("nothing"));
    assertThat(OneLineThrowable.of(plain)).isSameAs(plain);
  }

  @Test
  void copyIsOfTheClassThatWasThrownWithItsStackAndAllThatCausedIt() {
    Throwable cause = new IOException(FORGED);
    Throwable thrown = new IllegalStateException(FORGED, cause);
    thrown.addSuppressed(new UnsupportedOperationException(FORGED));

    Throwable logged = OneLineThrowable.of(thrown);

    assertThat(logged)
        .isExactlyInstanceOf(IllegalStateException.class)
        .hasMessage(IN_ONE_LINE)
        .isNotSameAs(thrown);
    assertThat(logged.getStackTrace()).isEqualTo(thrown.getStackTrace());
    assertThat(logged.getCause()).isExactlyInstanceOf(IOException.class).hasMessage(IN_ONE_LINE);
    assertThat(logged.getCause().getStackTrace()).isEqualTo(cause.getStackTrace());
    assertThat(logged.getSuppressed()[0])
        .isExactlyInstanceOf(UnsupportedOperationException.class)
        .hasMessage(IN_ONE_LINE);
    assertThat(thrown).as("what was thrown stays as it is").hasMessage(FORGED);
  }

  @Test
  void classThatWouldWriteAnotherMessageIsNamedInTheMessageAlone() {
    Throwable logged = OneLineThrowable.of(new CodeException("7\n8"));

    assertThat(logged).isInstanceOf(OneLineThrowable.class);
    assertThat(logged.toString()).isEqualTo(CodeException.class.getName() + ": code 7 8");
  }

  @Test
  void chainOfCausesMayBeCyclic() {
    Throwable first = new IllegalStateException(FORGED);
    Throwable second = new IllegalStateException("second", first);
    first.initCause(second);

    assertThat(OneLineThrowable.of(first)).hasMessage(IN_ONE_LINE);
  }
}
