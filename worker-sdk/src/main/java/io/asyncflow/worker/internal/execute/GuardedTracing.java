package io.asyncflow.worker.internal.execute;

import io.asyncflow.api.OneLine;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageResult;
import io.asyncflow.worker.internal.loop.OneLineThrowable;
import io.asyncflow.worker.tracing.RunSpan;
import io.asyncflow.worker.tracing.RunTracing;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Goes on without spans where opening, entering or ending one fails. Thread-safe. */
public final class GuardedTracing implements RunTracing {

  private static final Logger log = LoggerFactory.getLogger(GuardedTracing.class);

  private final RunTracing tracing;

  private GuardedTracing(RunTracing tracing) {
    this.tracing = tracing;
  }

  public static RunTracing of(RunTracing tracing) {
    return tracing == OFF ? OFF : new GuardedTracing(tracing);
  }

  private static <T> T orElse(T fallback, Supplier<T> call) {
    try {
      return call.get();
    } catch (Throwable thrown) { // errors too, as of a tracer that lacks one of its classes
      log.warn("a run is not traced: {}", OneLine.ofThrowable(thrown));
      log.debug("the reason", OneLineThrowable.of(thrown));
      return fallback;
    }
  }

  @Override
  public RunSpan open(StageContext run) {
    return orElse(RunSpan.NONE, () -> new GuardedSpan(tracing.open(run)));
  }

  @Override
  public String traceParent() {
    return orElse(null, tracing::traceParent);
  }

  private record GuardedSpan(RunSpan span) implements RunSpan {

    @Override
    public String traceParent() {
      return orElse(null, span::traceParent);
    }

    @Override
    public Scope enter() {
      Scope scope = orElse(() -> {}, span::enter);
      return () ->
          orElse(
              null,
              () -> {
                scope.close();
                return null;
              });
    }

    @Override
    public void end(StageResult result, Throwable thrown) {
      orElse(
          null,
          () -> {
            span.end(result, thrown);
            return null;
          });
    }
  }
}
