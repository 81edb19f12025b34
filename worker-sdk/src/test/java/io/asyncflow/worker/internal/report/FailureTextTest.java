package io.asyncflow.worker.internal.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.asyncflow.api.OneLine;
import io.asyncflow.worker.BatchStageHandler;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.StageNeeds;
import io.asyncflow.worker.internal.HandDriven;
import io.asyncflow.worker.internal.loop.OneLineThrowable;
import io.asyncflow.worker.internal.stage.RegisteredStage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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

  static final class BadMessage extends RuntimeException {
    @Override
    public String getMessage() {
      throw new StackOverflowError();
    }
  }

  static final class BadCause extends RuntimeException {
    @Override
    public synchronized Throwable getCause() {
      throw new IllegalStateException("lazy");
    }
  }

  static final class NoTrace extends RuntimeException {
    @Override
    public StackTraceElement[] getStackTrace() {
      return null;
    }
  }

  static final class NoText extends RuntimeException {
    @Override
    public String toString() {
      return null;
    }
  }

  static final class BadReason extends NonRetryableException {
    BadReason() {
      super("x");
    }

    @Override
    public String getMessage() {
      throw new NoClassDefFoundError();
    }
  }

  static Stream<RuntimeException> undescribable() {
    return Stream.of(
        new BadMessage(), new BadCause(), new NoTrace(), new NoText(), new BadReason());
  }

  @ParameterizedTest
  @MethodSource("undescribable")
  void whatCannotBeDescribedIsNamed(RuntimeException thrown) {
    String name = thrown.getClass().getName();
    assertThat(FailureText.of(thrown)).startsWith(name);
    assertThat(FailureText.of(new IllegalStateException("outer", thrown))).contains("outer");
    assertThat(OneLine.ofThrowable(thrown)).startsWith(name);
    Throwable logged = OneLineThrowable.of(new IllegalStateException("outer", thrown));
    assertThat(logged.toString() + logged.getMessage()).contains("outer");
    assertThat(logged.getStackTrace()).isNotNull();
  }

  /** Its end is a report all the same, alone and beside others. */
  @ParameterizedTest
  @MethodSource("undescribable")
  void runThatThrowsWhatCannotBeDescribedIsReported(RuntimeException thrown) {
    HandDriven worker = new HandDriven();
    worker.work(
        worker.heldRun(
            c -> {
              throw thrown;
            }));
    BatchStageHandler throwing =
        runs -> {
          throw thrown;
        };
    RegisteredStage batches = new RegisteredStage("one", throwing, StageNeeds.nothing());
    worker.runner.run(List.of(worker.heldRun("", batches), worker.heldRun("", batches)), null);
    worker.sendReports();
    assertThat(worker.server.accepted()).hasSize(3);
    assertThat(worker.held.isEmpty()).isTrue();
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
