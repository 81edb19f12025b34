package io.asyncflow.worker.tracing;

import io.asyncflow.api.Outcome;
import io.asyncflow.api.TraceParent;
import io.asyncflow.worker.NonRetryableException;
import io.asyncflow.worker.StageContext;
import io.asyncflow.worker.StageResult;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;

/**
 * Spans of Micrometer Tracing, and so of OpenTelemetry or Brave.
 *
 * <p>A span is called {@code type/stage} and has the tags {@code asyncflow.task.id}, {@code
 * asyncflow.task.type}, {@code asyncflow.stage}, {@code asyncflow.attempt} and, if the handler
 * returned, {@code asyncflow.outcome}. It is an error if the handler threw or failed the task.
 */
public final class MicrometerTracing implements RunTracing {

  private final Tracer tracer;

  public MicrometerTracing(Tracer tracer) {
    this.tracer = tracer;
  }

  @Override
  public RunSpan open(StageContext run) {
    Span.Builder span =
        tracer
            .spanBuilder()
            .name(run.taskType() + "/" + run.stage())
            .kind(Span.Kind.CONSUMER)
            .tag("asyncflow.task.id", run.taskId())
            .tag("asyncflow.task.type", run.taskType())
            .tag("asyncflow.stage", run.stage())
            .tag("asyncflow.attempt", String.valueOf(run.attempt()));
    run.traceParent()
        .flatMap(TraceParent::parse)
        .ifPresentOrElse(parent -> span.setParent(contextOf(parent)), span::setNoParent);
    return new Opened(span.start());
  }

  private TraceContext contextOf(TraceParent parent) {
    return tracer
        .traceContextBuilder()
        .traceId(parent.traceId())
        .spanId(parent.spanId())
        .sampled(parent.isSampled())
        .build();
  }

  @Override
  public String traceParent() {
    Span current = tracer.currentSpan();
    return current == null ? null : textOf(current.context());
  }

  /** {@code null} for a context without ids, as tracers have that are off. */
  private static String textOf(TraceContext context) {
    return TraceParent.of(
            context.traceId(), context.spanId(), Boolean.TRUE.equals(context.sampled()))
        .map(TraceParent::text)
        .orElse(null);
  }

  private final class Opened implements RunSpan {

    private final Span span;
    private final String traceParent;

    Opened(Span span) {
      this.span = span;
      this.traceParent = textOf(span.context());
    }

    @Override
    public String traceParent() {
      return traceParent;
    }

    @Override
    public Scope enter() {
      return tracer.withSpan(span)::close;
    }

    @Override
    public void end(StageResult result, Throwable thrown) {
      if (thrown != null) {
        span.error(thrown);
      } else if (result instanceof StageResult.Fail fail) {
        span.error(new NonRetryableException(fail.reason()));
      }
      if (result != null) {
        span.tag("asyncflow.outcome", outcomeOf(result).name());
      }
      span.end();
    }
  }

  private static Outcome outcomeOf(StageResult result) {
    if (result instanceof StageResult.Done) {
      return Outcome.SUCCESS;
    }
    if (result instanceof StageResult.NextStage) {
      return Outcome.NEXT_STAGE;
    }
    if (result instanceof StageResult.Retry) {
      return Outcome.RETRY;
    }
    return result instanceof StageResult.Fail ? Outcome.FAIL : Outcome.SNOOZE;
  }
}
