package io.asyncflow.worker.internal.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.tracing.RunSpan;
import io.asyncflow.worker.tracing.RunTracing;
import org.junit.jupiter.api.Test;

class GuardedTracingTest {

  private static RuntimeException broken() {
    return new IllegalStateException("the tracer is broken");
  }

  @Test
  void nothingIsGuardedWhereNothingIsTraced() {
    assertThat(GuardedTracing.of(RunTracing.OFF)).isSameAs(RunTracing.OFF);
  }

  @Test
  void runGoesOnWithoutTheSpanThatCannotBeOpened() {
    RunTracing tracing =
        GuardedTracing.of(
            new RunTracing() {
              @Override
              public RunSpan open(StageContext run) {
                throw broken();
              }

              @Override
              public String traceParent() {
                throw broken();
              }
            });
    assertThat(tracing.open(null)).isSameAs(RunSpan.NONE);
    assertThat(tracing.traceParent()).isNull();
  }

  @Test
  void runGoesOnAfterAnErrorOfTheTracerToo() {
    RunTracing tracing = GuardedTracing.of(new TracerWithoutItsClasses());
    assertThat(tracing.open(null)).isSameAs(RunSpan.NONE);
    assertThat(tracing.traceParent()).isNull();
  }

  @Test
  void spanThatFailsEndsNothingElse() {
    RunSpan failing =
        new RunSpan() {
          @Override
          public String traceParent() {
            throw broken();
          }

          @Override
          public Scope enter() {
            return () -> {
              throw broken();
            };
          }

          @Override
          public void end(StageResult result, Throwable thrown) {
            throw broken();
          }
        };
    RunTracing tracing =
        GuardedTracing.of(
            new RunTracing() {
              @Override
              public RunSpan open(StageContext run) {
                return failing;
              }

              @Override
              public String traceParent() {
                return null;
              }
            });
    RunSpan span = tracing.open(null);
    assertThat(span.traceParent()).isNull();
    assertThatCode(() -> span.enter().close()).doesNotThrowAnyException();
    assertThatCode(() -> span.end(null, null)).doesNotThrowAnyException();
  }
}
